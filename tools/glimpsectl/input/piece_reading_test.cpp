#include "glimpsectl/input/piece_reading.h"

#include <doctest/doctest.h>

namespace piece_reading_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

LineChunks::Chunk piece(std::string text, std::uint64_t lines_before) {
  return {std::move(text), lines_before};
}

}  // namespace

TEST_CASE("a header that the daemon found is repeated, and lines keep their numbers") {
  PieceReading reading("csv");
  auto first = piece("# remark\n\"b\",a\r\n1,2\n", 0);
  CHECK(reading.prepare(first).value() == "?format=csv");
  CHECK(first.text == "# remark\n\"b\",a\r\n1,2\n");
  REQUIRE(reading.note(TableReply{",", 2}, true).has_value());
  CHECK(reading.header_bytes() == 7);
  auto second = piece("3,4\n", 3);
  CHECK(reading.prepare(second).value() == "?format=csv&header=yes&delimiter=%2C&first_line=3");
  CHECK(second.text == "\"b\",a\r\n3,4\n");
  REQUIRE(reading.note(TableReply{",", 3}, true).has_value());
  auto third = piece("5,6\n", 4);
  CHECK(reading.prepare(third).value() == "?format=csv&header=yes&delimiter=%2C&first_line=4");
  CHECK(third.text == "\"b\",a\r\n5,6\n");
}

TEST_CASE("rows without a header are said to have none") {
  PieceReading reading("auto");
  auto first = piece("1;2\n", 0);
  CHECK(reading.prepare(first).value() == "?format=auto");
  REQUIRE(reading.note(TableReply{";", {}}, true).has_value());
  auto second = piece("a;b\n", 1);
  CHECK(reading.prepare(second).value() == "?format=csv&header=no&delimiter=%3B&first_line=2");
  CHECK(second.text == "a;b\n");
}

TEST_CASE("a later piece that begins as packed bytes do is not taken for some") {
  for (const std::string magic : {"\x1f\x8b\x08\x04", "\x28\xb5\x2f\xfd"}) {
    PieceReading reading("csv");
    auto first = piece("1;2\n3;4\n", 0);
    CHECK(reading.prepare(first).value() == "?format=csv");
    REQUIRE(reading.note(TableReply{";", {}}, true).has_value());
    auto second = piece(magic + ";2\n", 2);
    CHECK(reading.prepare(second).value() == "?format=csv&header=no&delimiter=%3B&first_line=2");
    CHECK(second.text == "\n" + magic + ";2\n");
  }
}

TEST_CASE("the header may come in a later piece than the first") {
  PieceReading reading("csv");
  auto first = piece("# nothing yet\n", 0);
  REQUIRE(reading.prepare(first).has_value());
  REQUIRE(reading.note(std::nullopt, false).has_value());
  auto second = piece("a,b\n1,2\n", 1);
  CHECK(reading.prepare(second).value() == "?format=csv&first_line=2");
  REQUIRE(reading.note(TableReply{",", 2}, true).has_value());
  auto third = piece("3,4\n", 3);
  CHECK(reading.prepare(third).value() == "?format=csv&header=yes&delimiter=%2C&first_line=3");
  CHECK(third.text == "a,b\n3,4\n");
}

TEST_CASE("the format of the first line that shows one is that of all pieces") {
  for (const auto& [line, format] :
       {std::pair("1 1:2\n", "svmlight"), {"1 | a\n", "vw"}, {"{\"label\": 1}\n", "ndjson"}}) {
    PieceReading reading("auto");
    auto first = piece(std::string("\n# remark\n") + line, 0);
    CHECK(reading.prepare(first).value() == "?format=auto");
    REQUIRE(reading.note(std::nullopt, true).has_value());
    auto second = piece("1\n", 3);
    CHECK(reading.prepare(second).value() == std::string("?format=") + format + "&first_line=4");
    CHECK(second.text == "1\n");
  }
}

TEST_CASE("without a format nothing but the number of a line is said") {
  PieceReading reading("");
  auto first = piece("{}\n", 0);
  CHECK(reading.prepare(first).value().empty());
  auto second = piece("{}\n", 1);
  CHECK(reading.prepare(second).value() == "?first_line=2");
}

TEST_CASE("a daemon that does not tell how it read the table gets no second piece") {
  PieceReading reading("csv");
  auto first = piece("a,b\n1,2\n", 0);
  REQUIRE(reading.prepare(first).has_value());
  REQUIRE(reading.note(std::nullopt, true).has_value());
  auto second = piece("3,4\n", 2);
  const auto refused = reading.prepare(second);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message.find("only the first 2 lines were sent") != std::string::npos);
}

TEST_CASE("a header that is none of the lines sent is no answer of glimpsed") {
  for (const std::uint64_t line : {std::uint64_t{10}, std::uint64_t{14}, ~std::uint64_t{0}}) {
    PieceReading reading("csv");
    auto first = piece("a,b\n1,2\n", 10);
    REQUIRE(reading.prepare(first).has_value());
    CHECK(reading.note(TableReply{",", line}, true).error().code == ErrorCode::kCorrupt);
  }
}

}  // namespace piece_reading_test
