#include "common/command_line.h"

#include <doctest/doctest.h>
#include <vector>

namespace glimpse {
namespace {

namespace po = boost::program_options;

std::optional<int> parse(std::vector<const char*> arguments, po::variables_map& values) {
  arguments.insert(arguments.begin(), "tool");
  po::options_description options("Options");
  options.add_options()("count", po::value<std::string>()->default_value("7"), "a count");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data(), "tool", "Usage: tool\n", "",
                            options, values);
}

TEST_CASE("options that are in order let the program go on") {
  po::variables_map values;
  CHECK(parse({"--count", "9"}, values) == std::nullopt);
  CHECK(*whole_number(values, "count", 0, 9) == 9);
  CHECK(*number(values, "count") == 9);
}

TEST_CASE("an unknown option, a guess at one and a left-over word end with status 2") {
  for (const char* word : {"--cuont=3", "--cou=3", "word"}) {
    po::variables_map values;
    CAPTURE(word);
    CHECK(parse({word}, values) == kExitBadOption);
  }
}

TEST_CASE("a number out of range is refused with option, value and constraint") {
  for (const char* text : {"-1", "10", "3.5", "x", "", "99999999999999999999999"}) {
    po::variables_map values;
    CAPTURE(text);
    REQUIRE(parse({"--count", text}, values) == std::nullopt);
    const auto result = whole_number(values, "count", 0, 9);
    REQUIRE(result.has_error());
    CHECK(result.error().code == ErrorCode::kInvalidOption);
    CHECK(result.error().message ==
          std::string("--count is '") + text + "'; it must be a whole number from 0 to 9");
  }
}

}  // namespace
}  // namespace glimpse
