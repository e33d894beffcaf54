#include "daemon/config/configuration_file.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <sstream>

namespace configuration_file_test {

using namespace glimpse;

TEST_CASE("conf/glimpsed.conf is what the table of options says: GLIMPSE_WRITE=1 writes it") {
  const std::string path = GLIMPSE_SOURCE_DIR "/conf/glimpsed.conf";
  if (std::getenv("GLIMPSE_WRITE") != nullptr) std::ofstream(path) << configuration_file();
  std::ifstream file(path);
  const std::string there{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  CHECK(there == configuration_file());
}

TEST_CASE("no line of the configuration file is longer than a terminal of 110 columns") {
  std::istringstream lines(configuration_file());
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    CHECK(std::ranges::count_if(line, begins) <= 110);
  }
}

}  // namespace configuration_file_test
