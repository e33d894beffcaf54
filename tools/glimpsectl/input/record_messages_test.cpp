#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "data/records/npy_header.h"
#include "glimpsectl/input/record_tape.h"

namespace record_messages_test {

using glimpse::ctl::RecordMessages;

std::vector<std::string> cut(RecordMessages messages, std::string_view records) {
  std::vector<std::string> found;
  while (!records.empty()) found.emplace_back(messages.take(records));
  return found;
}

std::vector<std::string> cut_lines(std::size_t most, std::string_view lines) {
  return cut({0, false, most}, lines);
}

using Texts = std::vector<std::string>;

TEST_CASE("messages of a topic have whole lines, as many as fit, without the last newline") {
  CHECK(cut_lines(5, "ab\ncd\nef\n") == Texts{"ab\ncd", "ef"});
  CHECK(cut_lines(4, "ab\ncd\nef\n") == Texts{"ab", "cd", "ef"});
  CHECK(cut_lines(8, "ab\ncd\nef\n") == Texts{"ab\ncd\nef"});
  CHECK(cut_lines(100, "ab\n") == Texts{"ab"});
}

TEST_CASE("messages of a topic: a line that is longer than they may be is a message of its own") {
  CHECK(cut_lines(3, "a\nbcdefg\nh\n") == Texts{"a", "bcdefg", "h"});
  CHECK(cut_lines(1, "abc\n") == Texts{"abc"});
}

TEST_CASE("messages of a topic: lines without content keep their number") {
  CHECK(cut_lines(1, "\n\na\n\n") == Texts{"\n\n", "a", ""});
  CHECK(cut_lines(100, "\n") == Texts{""});
}

TEST_CASE("messages of a topic: those of one byte are single records, where lines have any") {
  CHECK(cut_lines(1, "a\nb\nc\n") == Texts{"a", "b", "c"});
}

TEST_CASE("messages of a topic have whole rows, and at least one") {
  const std::string rows = "11112222333344445555";
  CHECK(cut({4, false, 11}, rows) == Texts{"11112222", "33334444", "5555"});
  CHECK(cut({4, false, 1}, rows).size() == 5);
  CHECK(cut({4, false, 1000}, rows) == Texts{rows});
}

TEST_CASE("messages of a topic: each of npy is an array with the header of its rows") {
  const std::string row(3 * sizeof(float), 'r');
  const auto found = cut({row.size(), true, 2 * row.size()}, row + row + row);
  REQUIRE(found.size() == 2);
  const auto length = glimpse::npy_header_length(found[0]);
  REQUIRE(length.has_value());
  CHECK(found[0].find("'shape': (2, 3)") != std::string::npos);
  CHECK(found[0].substr(*length) == row + row);
  CHECK(found[1].find("'shape': (1, 3)") != std::string::npos);
}

}  // namespace record_messages_test
