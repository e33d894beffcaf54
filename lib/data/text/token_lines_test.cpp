
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/formats/svmlight_reader.h"
#include "data/formats/vw_reader.h"
#include "data/reader_test_support.h"
#include "data/records/record_framer.h"
#include "data/text/line_marks.h"

namespace token_lines_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 300;

std::string_view behind_bar(std::string_view line) { return line.substr(line.find('|') + 1); }
constexpr TokenRule kBehindBar{'|', 0, behind_bar};

// Lines of sparse text of which some are odd in every way that readers tell of.
std::string random_line(Random& random, bool is_vw) {
  const auto kind = random.below(24);
  if (kind == 0) return "";
  if (kind == 1) return "# a comment 1:2";
  std::string line = kind == 2 ? "" : kind == 3 ? "x" : kind == 4 ? "?" : std::to_string(random.below(9));
  if (kind == 5) line = "  " + line;
  if (is_vw)
    line += kind == 6 ? " 'tag|" : kind == 7 ? " 2 |" : kind == 8 ? " |n:0.5" : kind == 9 ? " |n" : " |";
  if (!is_vw && kind == 6) line += " qid:7";
  std::uint64_t number = random.below(3);
  for (int k = 0; k < 40 && number < kDimension + (kind == 10 ? 20 : 0); ++k) {
    line += random.below(30) == 0 ? " \t " : " ";
    line += std::to_string(kind == 11 && k == 20 ? 1 : number);
    if (kind != 12 || k != 7)
      line += ":" + std::to_string(random.below(1000)) + (random.below(9) == 0 ? ".5" : "");
    if (kind == 13 && k == 3) line += "x";
    if (kind == 14 && k == 11) line += is_vw ? " |other" : " # 3:4";
    if (kind == 15 && k == 2) line += " 0000000123456:1";
    if (kind == 16 && k == 5) line += " name:1";
    number += 1 + random.below(12);
  }
  if (kind == 17) line += "\r";
  if (kind == 18) line += "  ";
  return line;
}

std::unique_ptr<ExampleReader> make_reader(bool is_vw, AttributeNames& names) {
  if (is_vw) return std::make_unique<VwReader>(kDimension, names);
  return std::make_unique<SvmlightReader>(kDimension, 1, names);
}

// All that is read of a text, in words; of every third record everything is read.
std::vector<std::string> read(std::string_view text, bool is_vw, const LineMarks* marks,
                              std::size_t skipped = 0) {
  AttributeNames names(kDimension);
  const auto reader = make_reader(is_vw, names);
  std::vector<std::string> all;
  reader->use_marks(marks);
  RecordCursor cursor(text, Framing::lines(1 << 20));
  std::size_t records = 0;
  while (const auto record = cursor.next([&](std::string_view rest) {
    return records < skipped ? length_of_line(rest) : reader->line_length(rest);
  })) {
    std::string& said = all.emplace_back();
    Status status = reader->open(*record);
    if (status && reader->has_example()) {
      said = reader->head().label ? std::to_string(*reader->head().label) : "asks";
      const std::vector<Attribute> planned{0, 7, 8, 31, 59, 202, 299};
      std::vector<double> values(planned.size());
      std::vector<Entry> entries;
      status = records % 3 == 0 ? reader->reveal_all(entries) : reader->reveal(planned, values);
      for (const double value : values) said += " " + std::to_string(value);
      for (const Entry& entry : entries)
        said += " " + std::to_string(entry.attribute) + ":" + std::to_string(entry.value);
    }
    if (!status) said += status.error().message;
    ++records;
  }
  reader->use_marks(nullptr);
  all.push_back(std::to_string(names.size()));
  return all;
}

}  // namespace

TEST_CASE("tokens of lines by hand, by every kernel") {
  const std::string pad(200, ' ');
  const std::string text = "1 | 3:0.5  17:2" + pad + "\n2 | 5 9:1" + pad + "\n|" + pad + "\n| 4:1 4:2" + pad +
                           "\n| 1:1 |b 2:1" + pad + "\n| 12345678:1";
  for (const TextKernel* const kernel : text_kernels()) {
    CAPTURE(kernel->name);
    TokenLines found;
    REQUIRE(mark_tokens_of_lines(text, kBehindBar, *kernel, found));
    REQUIRE(found.lines.size() == 6);
    CHECK(found.lines[0].begin == text.data() + 3);
    CHECK(found.lines[0].length == 15 + 200);
    CHECK(found.lines[0].size == 12 + 200);
    CHECK(found.lines[0].count == 2);
    CHECK(found.lines[0].is_plain);
    CHECK(found.lines[0].all_pairs);
    CHECK(found.numbers[0] == 3);
    CHECK(found.begins[0] == 1);
    CHECK(found.name_sizes[0] == 1);
    CHECK(found.numbers[1] == 17);
    CHECK(found.begins[1] == 8);
    CHECK(found.name_sizes[1] == 2);
    CHECK(found.lines[1].is_plain);
    CHECK_FALSE(found.lines[1].all_pairs);
    CHECK(found.lines[2].is_plain);
    CHECK(found.lines[2].count == 0);
    CHECK_FALSE(found.lines[3].is_plain);  // does not ascend
    CHECK_FALSE(found.lines[4].is_plain);  // stops
    CHECK(found.lines[5].first == 4);
    CHECK(found.numbers[4] == 12345678);
    CHECK(found.name_sizes[4] == 8);
  }
}

TEST_CASE("what would take more memory than the text has no marks") {
  TokenLines found;
  std::string text;
  for (int line = 0; line < 50; ++line) text += "| 1:1\n";
  CHECK_FALSE(mark_tokens_of_lines(text, kBehindBar, text_kernel(), found));  // lines
  text = "|";
  for (int i = 1; i < 1000; ++i) text += " " + std::to_string(i) + ":1";
  CHECK_FALSE(mark_tokens_of_lines(text, kBehindBar, text_kernel(), found));  // tokens
  text = "|";
  for (int i = 1; i < 1000; ++i) text += " " + std::to_string(i) + ":1.2345";
  CHECK(mark_tokens_of_lines(text, kBehindBar, text_kernel(), found));
  text.resize(40000, ' ');  // a long line
  CHECK_FALSE(mark_tokens_of_lines(text, kBehindBar, text_kernel(), found));
  CHECK(mark_tokens_of_lines("", kBehindBar, text_kernel(), found));
  CHECK(found.lines.empty());
}

TEST_CASE("tokens of a line that ends with a carriage return are those without it") {
  const std::string text = "1 | 3:0.5 17:2" + std::string(130, ' ') + "4:1\r\n";
  TokenLines found;
  REQUIRE(mark_tokens_of_lines(text, kBehindBar, text_kernel(), found));
  CHECK(found.lines[0].length == text.size() - 1);
  CHECK(found.lines[0].size == text.size() - 2 - 3);
  CHECK(found.lines[0].count == 3);
}

TEST_CASE("what readers of sparse text read does not depend on marks") {
  Random random(4);
  for (const bool is_vw : {true, false}) {
    AttributeNames names(kDimension);
    const TokenRule* const rule = make_reader(is_vw, names)->token_rule();
    REQUIRE(rule != nullptr);
    LineMarks marks;
    std::size_t plain = 0;
    for (int round = 0; round < 30; ++round) {
      CAPTURE(round);
      std::string text;
      for (int line = 0; line < 80; ++line) text += random_line(random, is_vw) + "\n";
      if (round % 2 == 0) text.pop_back();
      REQUIRE(mark_lines(text, *rule, text_kernel(), marks));
      for (const TokenLines::Line& line : marks.tokens.lines)
        plain += static_cast<std::size_t>(line.is_plain);
      const auto expected = read(text, is_vw, nullptr);
      CHECK(read(text, is_vw, &marks) == expected);
      // Where the first lines are not asked for, as those that were read ahead, none is taken for another.
      CHECK(read(text, is_vw, &marks, 3) == expected);
      // Marks of other lines are not used.
      const std::string copy = text;
      CHECK(read(copy, is_vw, &marks) == expected);
    }
    CHECK(plain > 1200);
    CHECK(marks.memory_bytes() < 200000);
  }
}

}  // namespace token_lines_test
