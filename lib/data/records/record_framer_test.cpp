#include "data/records/record_framer.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "base/random.h"

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
  // A scan from the start at each call would read 2^39 bytes, which takes some minutes.
  for (std::size_t n = 0; n <= line.size(); ++n)
    REQUIRE(*framer.whole_records(std::string_view(line).substr(0, n)) == 0);
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

}  // namespace record_framer_test
