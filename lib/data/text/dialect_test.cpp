#include "data/text/dialect.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace dialect_test {

using namespace glimpse;

using Records = std::vector<std::vector<std::string>>;

Records all_records(const Dialect& dialect, std::string_view text) {
  RecordSplitter splitter(dialect);
  Records records;
  while (!text.empty()) {
    const std::size_t length = splitter.split(text, true);
    REQUIRE(length > 0);
    text.remove_prefix(length);
    if (!splitter.is_blank() && !splitter.is_comment())
      records.emplace_back(splitter.fields().begin(), splitter.fields().end());
  }
  return records;
}

Dialect of(std::string_view delimiter, std::size_t width = 0) {
  Dialect dialect;
  dialect.delimiter = delimiter;
  dialect.width = width;
  return dialect;
}

TEST_CASE("fields in quotes have delimiters, quotes and line ends in them") {
  CHECK(all_records(of(","), "a,\"b,c\",\"d\"\"e\"\n1,\"2\n3\",4\r\n") ==
        Records{{"a", "b,c", "d\"e"}, {"1", "2\n3", "4"}});
  CHECK(all_records(of(","), "\"\",\"\"\n") == Records{{"", ""}});
  CHECK(all_records(of(","), " \"a\" , b \n") == Records{{"a", "b"}});
}

TEST_CASE("a quote that is neither doubled nor at the end of its field is text") {
  CHECK(all_records(of(","), "1,\"10\" long\",2\n") == Records{{"1", "10\" long", "2"}});
  CHECK(all_records(of(","), "1,\"\"x\",2\n") == Records{{"1", "\"x", "2"}});
  CHECK(all_records(of(","), "1,5\" pipe,2\n") == Records{{"1", "5\" pipe", "2"}});
}

TEST_CASE("a record of the wrong width is read by less strict rules that give the right one") {
  // The quote of the second field does not end.
  CHECK(all_records(of(",", 4), "1,\"2,3,\"four\"\n5,6,7,8\n") ==
        Records{{"1", "\"2", "3", "four"}, {"5", "6", "7", "8"}});
  // A quote at the end of a field is not doubled.
  CHECK(all_records(of(",", 3), "\"48\"\",\"a\",3\n4,5,6\n") == Records{{"48\"", "a", "3"}, {"4", "5", "6"}});
  // The quote that opens the last field has no other.
  CHECK(all_records(of(",", 3), "1,2,\"\n4,5,6\n") == Records{{"1", "2", "\""}, {"4", "5", "6"}});
}

TEST_CASE("delimiters may be several characters, runs of blanks or none") {
  CHECK(all_records(of("::"), "1::2:3::4\n") == Records{{"1", "2:3", "4"}});
  Dialect blanks = of(" ");
  blanks.divides_by_runs = true;
  CHECK(all_records(blanks, "  1   2 \t 3  \n4 5 6\n") == Records{{"1", "2", "3"}, {"4", "5", "6"}});
  CHECK(all_records(of(""), "1 2,3\n") == Records{{"1 2,3"}});
  CHECK(all_records(of("\t"), "1\t\t3\n\t\t\n") == Records{{"1", "", "3"}, {"", "", ""}});
}

TEST_CASE("quotes, escapes, line ends and comments are those of the dialect") {
  Dialect dialect = of(",");
  dialect.quote = '\'';
  CHECK(all_records(dialect, "'a,b',\"c\"\n") == Records{{"a,b", "\"c\""}});
  dialect = of(",");
  dialect.escape = '\\';
  CHECK(all_records(dialect, "\"a\\\"b\",\"c\\\\\",d\\e\n") == Records{{"a\"b", "c\\", "d\\e"}});
  dialect = of(",");
  dialect.line_end = '\r';
  CHECK(all_records(dialect, "1,2\r3,4\r") == Records{{"1", "2"}, {"3", "4"}});
  dialect.line_end = '\n';
  dialect.comment = '#';
  CHECK(all_records(dialect, "# x\n1,2\n #y\n\n") == Records{{"1", "2"}});
}

TEST_CASE("a record is given when its end has come, and no earlier") {
  const std::string text = "a,\"b\n\"\"c\",d\r\n1,2,3\n";
  const Dialect dialect = of(",");
  for (std::size_t size = 1; size < text.size(); ++size) {
    CAPTURE(size);
    RecordSplitter splitter(dialect);
    const std::size_t length = splitter.split(std::string_view(text).substr(0, size), false);
    CHECK(length == (size < 13 ? 0 : 13));
    if (length > 0) CHECK(splitter.fields() == std::vector<std::string_view>{"a", "b\n\"c", "d"});
  }
}

}  // namespace dialect_test
