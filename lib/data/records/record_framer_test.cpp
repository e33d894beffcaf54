#include "data/records/record_framer.h"

#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/records/npy_header.h"

namespace record_framer_test {

using namespace glimpse;

namespace {

std::vector<std::string> records_of(std::string_view block, Framing framing) {
  std::vector<std::string> records;
  RecordCursor cursor(block, framing);
  while (const auto record = cursor.next()) records.emplace_back(*record);
  return records;
}

}  // namespace

TEST_CASE("whole lines end at the last newline that has come") {
  RecordFramer framer(Framing::lines(100));
  CHECK(*framer.whole_records("") == 0);
  CHECK(*framer.whole_records("ab") == 0);
  CHECK(*framer.whole_records("abc\nde\nf") == 7);
  CHECK(*framer.whole_records("f") == 0);
  CHECK(*framer.whole_records("fg\n") == 3);
  CHECK(*framer.whole_records("\n") == 1);
}

TEST_CASE("a line of exactly the limit passes and one byte more does not") {
  CHECK(*RecordFramer(Framing::lines(4)).whole_records("abcd\n") == 5);
  CHECK(*RecordFramer(Framing::lines(4)).whole_records("abcd") == 0);
  for (const std::string_view bytes : {"abcde", "abcde\n", "abcde\nx\n"}) {
    const auto result = RecordFramer(Framing::lines(4)).whole_records(bytes);
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code == ErrorCode::kTooLarge);
    CHECK(result.error().message == "line is longer than the limit of 4 bytes (--max-line)");
  }
}

TEST_CASE("whole lines before one that is too long are given out first") {
  RecordFramer framer(Framing::lines(4));
  const std::string bytes = "ab\ncd\nabcdefgh\nx\n";
  CHECK(*framer.whole_records(bytes) == 6);
  CHECK_FALSE(framer.whole_records(bytes.substr(6)).has_value());
  framer.reset();
  CHECK(*framer.whole_records(bytes.substr(15)) == 2);
}

TEST_CASE("rows are whole at multiples of their length") {
  RecordFramer framer(Framing::rows(8));
  CHECK(*framer.whole_records("1234567") == 0);
  CHECK(*framer.whole_records("12345678") == 8);
  CHECK(*framer.whole_records("12345678123\n5678123") == 16);
}

TEST_CASE("the cursor yields lines without their ends and knows where it stands") {
  RecordCursor cursor("a\r\n\nbc\nlast", Framing::lines(100));
  CHECK(cursor.position() == 0);
  CHECK(cursor.next() == "a");
  CHECK(cursor.position() == 3);
  CHECK(cursor.next() == "");
  CHECK(cursor.position() == 4);
  CHECK(cursor.next() == "bc");
  CHECK(cursor.next() == "last");
  CHECK(cursor.position() == 11);
  CHECK_FALSE(cursor.next());
  CHECK_FALSE(cursor.next());
}

TEST_CASE("the cursor drops one carriage return and yields a row that was cut short") {
  CHECK(records_of("a\r\r\n\r\nb\r", Framing::lines(9)) == std::vector<std::string>{"a\r", "", "b"});
  CHECK(records_of("1234\n678", Framing::rows(4)) == std::vector<std::string>{"1234", "\n678"});
  CHECK(records_of("12345", Framing::rows(4)) == std::vector<std::string>{"1234", "5"});
  CHECK(records_of("", Framing::lines(9)).empty());
}

TEST_CASE("however the bytes are cut into pieces the same lines come out") {
  Random random(11);
  for (int trial = 0; trial < 300; ++trial) {
    constexpr std::size_t kLimit = 12;
    std::string all;
    std::vector<std::string> lines;
    bool too_long = false;  // a line over the limit stands behind `lines`
    for (std::uint64_t n = random.below(40); n > 0; --n) {
      const std::string line(random.below(trial % 3 == 0 ? kLimit + 2 : kLimit + 1), 'x');
      all += line + "\n";
      too_long = too_long || line.size() > kLimit;
      if (!too_long) lines.push_back(line);
    }
    RecordFramer framer(Framing::lines(kLimit));
    std::vector<std::string> found;
    std::string buffer;
    bool failed = false;
    for (std::size_t at = 0; at < all.size() && !failed;) {
      const std::string piece = all.substr(at, 1 + random.below(30));
      at += piece.size();
      buffer += piece;
      auto whole = framer.whole_records(buffer);
      while (whole && *whole > 0) {
        for (auto& line : records_of(buffer.substr(0, *whole), framer.framing())) found.push_back(line);
        buffer.erase(0, *whole);
        whole = framer.whole_records(buffer);
      }
      failed = !whole;
    }
    CHECK(found == lines);
    CHECK(failed == too_long);
  }
}

TEST_CASE("a long line that comes byte by byte is scanned once") {
  const std::string line(1 << 20, 'x');
  RecordFramer framer(Framing::lines(line.size()));
  RecordFramer of_table(Framing::table(std::make_shared<const Dialect>(), line.size()));
  // A scan from the start at each call would read 2^39 bytes, which takes some minutes.
  for (std::size_t n = 0; n <= line.size(); ++n)
    REQUIRE((*framer.whole_records(std::string_view(line).substr(0, n)) == 0 &&
             *of_table.whole_records(std::string_view(line).substr(0, n)) == 0));
}

TEST_CASE("a stream is cut into pieces of whole records of about a length") {
  const Framing lines = Framing::lines(100);
  CHECK(length_of_records("ab\ncd\nef\n", lines, 1) == 3);
  CHECK(length_of_records("ab\ncd\nef\n", lines, 3) == 3);
  CHECK(length_of_records("ab\ncd\nef\n", lines, 4) == 6);
  CHECK(length_of_records("ab\ncd\nef", lines, 7) == 8);
  CHECK(length_of_records("abcdefgh", lines, 2) == 8);
  CHECK(length_of_records("", lines, 2) == 0);
  const Framing rows = Framing::rows(4);
  CHECK(length_of_records("aaaabbbbcc", rows, 1) == 4);
  CHECK(length_of_records("aaaabbbbcc", rows, 5) == 8);
  CHECK(length_of_records("aaaabbbbcc", rows, 9) == 10);
  CHECK(length_of_records("no header", Framing::npy_rows(4), 1) == 9);
}

namespace {

std::string encoded(std::u16string_view text, Encoding encoding) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xff);
    const char high = static_cast<char>(unit >> 8);
    bytes += encoding == Encoding::kUtf16Le ? low : high;
    bytes += encoding == Encoding::kUtf16Le ? high : low;
  }
  return bytes;
}

Framing table_of(const Dialect& dialect, std::size_t limit = 1000) {
  return Framing::table(std::make_shared<const Dialect>(dialect), limit);
}

// The records of a stream that comes in pieces, each of which is cut where it is whole, in UTF-8.
std::vector<std::string> streamed(std::string_view text, const Framing& framing,
                                  const std::vector<std::size_t>& cuts) {
  RecordFramer framer(framing);
  std::vector<std::string> records;
  std::size_t begin = 0;
  const auto take = [&](std::string_view block, bool has_quote) {
    RecordCursor cursor(block, framing, has_quote);
    while (const auto record = cursor.next()) {
      records.emplace_back();
      append_as_utf8(*record, framing.dialect() != nullptr ? framing.dialect()->encoding : Encoding::kUtf8,
                     records.back());
    }
  };
  for (const std::size_t end : cuts)
    for (;;) {
      const auto whole = framer.whole_records(text.substr(begin, end - begin));
      REQUIRE(whole.has_value());
      if (*whole == 0) break;
      take(text.substr(begin, *whole), framer.has_quote());
      begin += *whole;
    }
  take(text.substr(begin), true);
  return records;
}

void check_every_cut(std::string_view text, const Framing& framing,
                     const std::vector<std::string>& expected) {
  std::vector<std::size_t> bytes;
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    CHECK(streamed(text, framing, {cut, text.size()}) == expected);
    bytes.push_back(cut);
  }
  CHECK(streamed(text, framing, bytes) == expected);  // byte by byte
  // Blocks end behind any record.
  for (std::size_t least = 1; least <= text.size(); ++least) {
    std::vector<std::string> records;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t length = length_of_records(rest, framing, least);
      REQUIRE(length > 0);
      for (auto& record : streamed(rest.substr(0, length), framing, {})) records.push_back(std::move(record));
      rest.remove_prefix(length);
    }
    CHECK(records == expected);
  }
}

}  // namespace

TEST_CASE(
    "a record of a table goes over the line ends in its quotes, in the first, a middle and the last record") {
  Dialect dialect;
  for (const std::size_t width : {std::size_t{0}, std::size_t{2}}) {
    dialect.width = width;
    const Framing framing = table_of(dialect);
    check_every_cut("\"a\nb\",c\n1,2\n", framing, {"\"a\nb\",c", "1,2"});
    check_every_cut("1,2\n\"a\n\"\"b\r\n\",c\r\n3,4\n", framing, {"1,2", "\"a\n\"\"b\r\n\",c", "3,4"});
    check_every_cut("1,2\n\n3,\"a\n,b\"", framing, {"1,2", "", "3,\"a\n,b\""});
    check_every_cut("\xef\xbb\xbf\"a\nb\",c\n1,2\n", framing, {"\xef\xbb\xbf\"a\nb\",c", "1,2"});
  }
}

TEST_CASE("a quote that does not end is text, and the line ends") {
  Dialect dialect;
  dialect.width = 2;
  check_every_cut("1,\"2\n3,4\n5,6\n", table_of(dialect), {"1,\"2", "3,4", "5,6"});
  check_every_cut("1,\"2\n3,4\n5,6", table_of(dialect), {"1,\"2", "3,4", "5,6"});
  // The reading over lines has another width, and the line alone has the right one.
  check_every_cut("1,\"2\n3,4\",5\n6,7\n", table_of(dialect), {"1,\"2", "3,4\",5", "6,7"});
  // Neither has it, and the record is not taken apart.
  check_every_cut("\"a\n2\",3,4\n5,6\n", table_of(dialect), {"\"a\n2\",3,4", "5,6"});
}

TEST_CASE("quotes that do not end cost no more than their text") {
  Dialect dialect;
  dialect.width = 3;
  // Each line would look at a megabyte.
  for (const std::string_view row :
       {".1,.2,\"5 in\n", ".1,.2,\"5\"\" in\n", "\"a,\"b,\"c\n", ".1,.2,\"5\"\"\n"}) {
    std::string text;
    std::vector<std::string> lines;
    for (int i = 0; i < 100000; ++i) text += row, lines.emplace_back(row.substr(0, row.size() - 1));
    CHECK(records_of(text, table_of(dialect)) == lines);
    std::vector<std::size_t> cuts;
    for (std::size_t at = 0; at < text.size();) cuts.push_back(at = std::min(text.size(), at + 4096));
    CHECK(streamed(text, table_of(dialect), cuts) == lines);
  }
  // One line of quotes that do not end.
  std::string line = "1";
  for (int i = 0; i < 200000; ++i) line += ",\"5 in";
  CHECK(records_of(line + "\n1,2,3\n", table_of(dialect, 10000000)) ==
        std::vector<std::string>{line, "1,2,3"});
}

TEST_CASE("a record over lines is at most as long as the limit") {
  const std::string at_limit = "1,\"345\n7\"\n";
  CHECK(records_of(at_limit, table_of({}, at_limit.size())) == std::vector<std::string>{"1,\"345\n7\""});
  CHECK(records_of(at_limit, table_of({}, at_limit.size() - 1)) ==
        std::vector<std::string>{"1,\"345", "7\""});
  RecordFramer framer(table_of({}, 9));
  CHECK(*framer.whole_records("1,\"345\n") == 0);
  CHECK(*framer.whole_records("1,\"345\n7") == 0);
  CHECK(*framer.whole_records("1,\"345\n7\"\n") == 10);
  for (const std::string_view line : {"\"123456789", "1234567890", "\"123456789\n"}) {
    RecordFramer long_line(table_of({}, 9));
    CHECK(*long_line.whole_records("\"a\"\n" + std::string(line)) == 4);
    const auto refused = long_line.whole_records(line);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message == "line is longer than the limit of 9 bytes (--max-line)");
  }
}

TEST_CASE("lines of a table may end with CR alone, and quotes and escapes are those of its dialect") {
  Dialect dialect;
  dialect.line_end = '\r';
  check_every_cut("a,\"b\rc\"\r1,2\r", table_of(dialect), {"a,\"b\rc\"", "1,2"});
  dialect = {};
  dialect.quote = '\'';
  dialect.escape = '\\';
  dialect.width = 2;
  check_every_cut("1,'a\\'\nb'\n3,\"x\n", table_of(dialect), {"1,'a\\'\nb'", "3,\"x"});
  dialect.comment = '#';
  check_every_cut("#'it\n1,'a\nb'\n", table_of(dialect), {"#'it", "1,'a\nb'"});
  dialect.quote = 0;
  check_every_cut("1,\"a\n2,b\"\n", table_of(dialect), {"1,\"a", "2,b\""});
  CHECK(table_of(dialect).dialect() == nullptr);  // they are lines
}

TEST_CASE("lines of UTF-16 end with 16 bits") {
  // Characters of which a byte is that of a line end or a quote, and one of two halves.
  constexpr std::u16string_view kText =
      u"\ufeffn\u0a0a,\u220a\r\n\"a\n\u2222\U0001f600\"\"\",\u0d22\n\"x\n\ny\",\u0a22\r\n1,2\n3,\"4";
  const std::vector<std::string> expected{"\ufeffn\u0a0a,\u220a", "\"a\n\u2222\U0001f600\"\"\",\u0d22",
                                          "\"x\n\ny\",\u0a22", "1,2", "3,\"4"};
  for (const Encoding encoding : {Encoding::kUtf16Le, Encoding::kUtf16Be}) {
    Dialect dialect;
    dialect.encoding = encoding;
    dialect.width = 2;
    check_every_cut(encoded(kText, encoding), table_of(dialect), expected);
    check_every_cut(encoded(kText.substr(1), encoding), table_of(dialect),
                    {expected[0].substr(3), expected[1], expected[2], expected[3], expected[4]});
    const Framing framing = table_of(dialect);
    CHECK(encoded(u"a\n", encoding).ends_with(framing.end_of_line()));
    CHECK_FALSE(encoded(u"a\u0a0a", encoding).ends_with(framing.end_of_line()));
    CHECK_FALSE(encoded(u"\na", encoding).ends_with(framing.end_of_line()));
  }
}

TEST_CASE("no record of a table goes on behind the end of a message") {
  RecordCursor cursor("1,\"a\n2,\"b\"\n", table_of({}));
  cursor.end_at(5);
  CHECK(cursor.next() == "1,\"a");
  CHECK_FALSE(cursor.next());
  cursor.end_at(11);
  CHECK(cursor.next() == "2,\"b\"");
}

TEST_CASE("however a table is cut into pieces the records are those of its dialect") {
  Random random(12);
  constexpr std::string_view kBytes = "a1,,\"\"\n\n\r;";
  for (int trial = 0; trial < 2000; ++trial) {
    Dialect dialect;
    dialect.width = random.below(4);
    std::string text;
    for (std::uint64_t n = 1 + random.below(60); n > 0; --n) text += kBytes[random.below(kBytes.size())];
    std::vector<std::string> expected;
    RecordSplitter splitter(dialect);
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t length = splitter.split(rest, true);
      std::string record(rest.substr(0, length));
      if (record.ends_with('\n')) record.pop_back();
      if (record.ends_with('\r')) record.pop_back();
      expected.push_back(record);
      rest.remove_prefix(length);
    }
    std::vector<std::size_t> cuts;
    for (std::size_t at = 0; at < text.size();)
      cuts.push_back(at = std::min(text.size(), at + 1 + random.below(20)));
    REQUIRE(streamed(text, table_of(dialect), cuts) == expected);
  }
}

TEST_CASE("behind the rows that a header says another header may be, and comes alone") {
  const std::string row(8, 'r');
  const std::string text = npy_header(2, 2) + row + row + npy_header(0, 2) + npy_header(1, 2) + row + row;
  for (std::size_t piece = 1; piece < text.size(); piece += 7) {
    CAPTURE(piece);
    RecordFramer framer(Framing::npy_rows(8));
    std::vector<std::size_t> taken;
    std::string held;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      held += text.substr(at, piece);
      for (;;) {
        const auto whole = framer.whole_records(held);
        REQUIRE(whole.has_value());
        if (*whole == 0) break;
        const bool goes_on = !taken.empty() && taken.back() % 128 != 0 && *whole % 128 != 0;
        goes_on ? taken.back() += *whole : (taken.push_back(*whole), 0UL);
        held.erase(0, *whole);
      }
    }
    CHECK(taken == std::vector<std::size_t>{128, 16, 128, 128, 16});  // what is no header are rows
    CHECK(held.empty());
  }
  RecordFramer amid(Framing::rows(8), 8);
  CHECK(amid.whole_records(row + npy_header(1, 2)).value() == 8);
  CHECK(amid.whole_records(npy_header(1, 2)).value() == 128);
}

TEST_CASE("lines of several formats wait for one that tells, in pieces of any size") {
  const std::string_view text = "# c\n4\n\n5\n1 1:2\n6\n";
  const std::size_t decided = text.find("6\n");
  for (std::size_t size = 1; size <= text.size(); ++size) {
    RecordFramer framer(Framing::undecided_lines(100, 2));
    const auto whole = framer.whole_records(text.substr(0, size));
    REQUIRE(whole.has_value());
    CAPTURE(size);
    const std::size_t expected = size < 4             ? 0
                                 : size < 6           ? 4
                                 : size < decided     ? 0
                                 : size < text.size() ? decided
                                                      : size;
    CHECK(*whole == expected);
  }
}

TEST_CASE("lines of several formats are whole at the end, behind 4 KiB, and where no one waits for them") {
  RecordFramer framer(Framing::undecided_lines(100, 2));
  CHECK(framer.whole_records("4\n5\n").value() == 0);
  CHECK(framer.end_opening());
  CHECK(framer.whole_records("4\n5\n6").value() == 4);
  CHECK_FALSE(framer.end_opening());
  std::string many;
  while (many.size() < 4096) many += "4\n";
  RecordFramer full(Framing::undecided_lines(100, 2));
  CHECK(full.whole_records(many).value() == 0);
  CHECK(full.whole_records(many + "5\n").value() == many.size() + 2);
  CHECK(RecordFramer(Framing::undecided_lines(100, 2).at_once()).whole_records("4\n").value() == 2);
  CHECK(RecordFramer(Framing::undecided_lines(100, 2).behind_header()).whole_records("4\n").value() == 2);
  CHECK(RecordFramer(Framing::undecided_lines(100, 1)).whole_records("4\n").value() == 2);  // a question
}

TEST_CASE("a line over the limit is an error also where lines wait for their format") {
  RecordFramer framer(Framing::undecided_lines(10, 2));
  CHECK(framer.whole_records("123456789,1234567").error().code == ErrorCode::kTooLarge);
}

}  // namespace record_framer_test
