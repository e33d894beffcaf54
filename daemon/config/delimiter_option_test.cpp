#include <doctest/doctest.h>
#include <string>

#include "daemon/config/command_line.h"
#include "data/records/table_layout.h"

namespace delimiter_option_test {

using namespace glimpse;

// What --delimiter takes, nothing where it takes no such word.
static std::optional<char> taken_by_option(const std::string& word) {
  const auto invocation = parse_command_line({"--delimiter", word});
  return invocation ? std::optional(invocation->configuration.table.delimiter) : std::nullopt;
}

TEST_CASE("the delimiters of bodies are those of --delimiter, each with a word of its own") {
  std::size_t count = 0;
  for (int byte = 1; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string alone(1, c);
    CHECK(delimiter_of_word(alone) == taken_by_option(alone));
    const auto word = word_of_delimiter(c);
    if (!word) continue;
    ++count;
    CHECK(delimiter_of_word(*word) == c);
    CHECK(taken_by_option(std::string(*word)) == c);
  }
  const std::string choices = parse_command_line({"--delimiter", "?"}).error().message;
  CHECK(choices == "--delimiter ?: must be one of auto, ,, ;, |, tab, space");
  CHECK(count == 5);
}

}  // namespace delimiter_option_test
