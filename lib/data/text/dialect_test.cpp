#include "data/text/dialect.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "base/random.h"

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

// Each part as no Dialect has it by default, with odd characters.
Dialect odd_dialect() {
  Dialect dialect;
  dialect.encoding = Encoding::kUtf16Be;
  dialect.delimiter = "::";
  dialect.divides_by_runs = true;
  dialect.quote = '\'';
  dialect.escape = '\\';
  dialect.line_end = '\r';
  dialect.comment = '#';
  dialect.preamble_lines = 3;
  dialect.header_records = 2;
  dialect.width = 12;
  dialect.zeros = {"0", "", "a b", "\\ zeros=1"};
  return dialect;
}

TEST_CASE("a dialect comes back from its text, each part by itself and all together") {
  const Dialect odd = odd_dialect();
  CHECK(dialect_of(text_of(Dialect())) == Dialect());
  CHECK(dialect_of(text_of(odd)) == odd);
  const auto with = [&odd](auto Dialect::* part) {
    Dialect dialect;
    dialect.*part = odd.*part;
    CAPTURE(text_of(dialect));
    CHECK_FALSE(dialect == Dialect());
    CHECK(dialect_of(text_of(dialect)) == dialect);
  };
  with(&Dialect::encoding);
  with(&Dialect::delimiter);
  with(&Dialect::divides_by_runs);
  with(&Dialect::quote);
  with(&Dialect::escape);
  with(&Dialect::line_end);
  with(&Dialect::comment);
  with(&Dialect::preamble_lines);
  with(&Dialect::header_records);
  with(&Dialect::width);
  with(&Dialect::zeros);
  for (const Encoding encoding :
       {Encoding::kUtf8, Encoding::kUtf16Le, Encoding::kUtf16Be, Encoding::kWindows1252, Encoding::kLatin1}) {
    Dialect dialect;
    dialect.encoding = encoding;
    CHECK(dialect_of(text_of(dialect)) == dialect);
  }
}

TEST_CASE("the text of a dialect is visible ASCII in one line, whatever divides the fields") {
  for (const std::string& delimiter :
       std::vector<std::string>{"", ",", " ", "\t", "\n", "\x01", std::string(1, '\0'), "\\", "\\x2c", "=",
                                " width=7", "\xc2\xa7", "\xff", "\x7f"}) {
    Dialect dialect = of(delimiter, 5);
    dialect.quote = 0;
    const std::string text = text_of(dialect);
    CAPTURE(text);
    CHECK(std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; }));
    CHECK(dialect_of(text) == dialect);
  }
  CHECK(text_of(of("\t", 2)).starts_with("encoding=utf-8 delimiter=\\x09 by-runs=0 "));
}

TEST_CASE("a row that lacks fields is not divided within its quotes, wherever they stand") {
  for (const auto& [line, fields] : {std::pair("\"a,b\",2,3\n", Records{{"a,b", "2", "3"}}),
                                     {"1,\"a,b\",3\n", Records{{"1", "a,b", "3"}}},
                                     {"1,2,\"a,b\"\n", Records{{"1", "2", "a,b"}}},
                                     {"1,\"say \"\"x\"\", y\",3\n", Records{{"1", "say \"x\", y", "3"}}}})
    CHECK(all_records(of(",", 4), line) == fields);
}

TEST_CASE("a row of a table has a blank for each line end, and other records keep theirs") {
  const auto written = [](std::string_view field, bool is_line) {
    std::string text = "1,";
    append_field(field, is_line, text);
    return text;
  };
  for (const bool is_line : {true, false}) {
    CHECK(written("a b", is_line) == "1,a b");
    CHECK(written("a,b", is_line) == "1,\"a,b\"");
    CHECK(written("say \"x\"", is_line) == "1,\"say \"\"x\"\"\"");
  }
  CHECK(written("\ra\nb\r\nc", true) == "1,\" a b c\"");
  CHECK(written("\ra\nb\r\nc", false) == "1,\"\ra\nb\r\nc\"");
  CHECK(written("#a", true) == "1,\"#a\"");
  CHECK(written("#a", false) == "1,#a");
}

TEST_CASE("a text that is no dialect's gives none, and parts that it leaves out are as by default") {
  CHECK(dialect_of("") == Dialect());
  CHECK(dialect_of("delimiter=; width=3") == of(";", 3));
  CHECK(dialect_of("a-width=9 encoding=utf-8") == Dialect());  // another part
  CHECK_FALSE(dialect_of("encoding=ebcdic"));
  for (const char* part : {"width=", "width=x", "width=-1", "header-records=many", "by-runs=yes"}) {
    CAPTURE(part);
    CHECK_FALSE(dialect_of(part));
  }
}

TEST_CASE("the records of a text are those of splitters that know nothing of what stood before") {
  Random random(31);
  constexpr std::string_view kBytes = "a,,\"\"\"\n\n\r \\::";
  for (int trial = 0; trial < 20000; ++trial) {
    Dialect dialect;
    dialect.width = random.below(4);
    if (random.below(3) == 0) dialect.escape = '\\';
    if (random.below(3) == 0) dialect.delimiter = "::";
    std::string text;
    for (std::uint64_t n = 1 + random.below(70); n > 0; --n) text += kBytes[random.below(kBytes.size())];
    const std::size_t longest = 1 + random.below(60);
    RecordSplitter knowing(dialect, longest);
    std::size_t end = 0;  // of what has come
    for (std::size_t at = 0; at < text.size();) {
      end = std::min(text.size(), std::max(end, at + 1) + random.below(20));
      const std::string_view rest = std::string_view(text).substr(at, end - at);
      RecordSplitter fresh(dialect, longest);
      const bool is_whole = end == text.size();
      const std::size_t length = fresh.split(rest, is_whole);
      REQUIRE(knowing.split(rest, is_whole, at) == length);
      if (length > 0) REQUIRE(knowing.fields() == fresh.fields());
      at += length;
    }
  }
}

}  // namespace dialect_test
