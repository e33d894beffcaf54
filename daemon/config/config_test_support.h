#pragma once

#include <cstdio>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "daemon/config/command_line.h"

namespace glimpse::test {

inline Configuration read(std::vector<std::string> arguments) {
  const auto invocation = parse_command_line(arguments);
  REQUIRE_MESSAGE(invocation.has_value(), (invocation ? "" : invocation.error().message));
  return invocation->configuration;
}

// The same of words with blanks between them.
inline Configuration read_words(const std::string& words) {
  std::istringstream text(words);
  return read({std::istream_iterator<std::string>(text), {}});
}

inline std::string refusal(std::vector<std::string> arguments) {
  const auto invocation = parse_command_line(arguments);
  if (invocation) return "";
  CHECK(invocation.error().code == ErrorCode::kInvalidOption);
  CHECK(invocation.error().message.find('\n') == std::string::npos);
  return invocation.error().message;
}

// A configuration file that is removed at the end.
class File {
 public:
  explicit File(const std::string& text) : path_(fmt::format("/tmp/glimpse-configuration-{}", ::getpid())) {
    std::ofstream(path_) << text;
  }
  ~File() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace glimpse::test
