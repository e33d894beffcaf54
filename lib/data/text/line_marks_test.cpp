#include "data/text/line_marks.h"

#include <doctest/doctest.h>
#include <string>

#include "base/random.h"
#include "data/formats/csv_reader.h"
#include "data/reader_test_support.h"
#include "data/records/record_framer.h"

namespace line_marks_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 60;

// Rows of which some are blank, longer, too wide, without label, wrong, or end with "\r\n".
std::string random_text(Random& random, int lines) {
  std::string text;
  for (int line = 0; line < lines; ++line) {
    const auto kind = random.below(12);
    const std::size_t width = kDimension + (kind == 0 ? 5 : kind == 1 ? 0 : 1);
    if (kind != 2)
      for (std::size_t column = 0; column < width; ++column) {
        if (column > 0) text += ',';
        if (random.below(200) == 0) text += random.below(2) == 0 ? "x" : "";
        text += std::to_string(random.below(kind == 3 ? 1000000000 : 10000));
      }
    text += kind == 4 ? "\r\n" : "\n";
  }
  return text;
}

struct Seen {
  std::string message;
  bool has_example = false;
  std::optional<double> label;
  std::vector<double> values;
};

std::vector<Seen> read(CsvReader& reader, std::string_view text, const LineMarks* marks) {
  std::vector<Seen> all;
  reader.use_marks(marks);
  RecordCursor cursor(text, Framing::lines(1 << 20));
  while (const auto record = cursor.next([&](std::string_view rest) { return reader.line_length(rest); })) {
    Seen& seen = all.emplace_back();
    Status status = reader.open(*record);
    seen.has_example = reader.has_example();
    if (status && seen.has_example) {
      const std::vector<Attribute> planned{0, 7, 8, 31, 59};
      seen.label = reader.head().label;
      seen.values.assign(planned.size(), 0.0);
      status = reader.reveal(planned, seen.values);
    }
    if (!status) seen.message = status.error().message;
  }
  reader.use_marks(nullptr);
  return all;
}

void check_same(const std::vector<Seen>& a, const std::vector<Seen>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t line = 0; line < a.size(); ++line) {
    CAPTURE(line);
    CHECK(a[line].message == b[line].message);
    CHECK(a[line].has_example == b[line].has_example);
    CHECK(a[line].label == b[line].label);
    REQUIRE(a[line].values.size() == b[line].values.size());
    for (std::size_t i = 0; i < a[line].values.size(); ++i) CHECK(same(a[line].values[i], b[line].values[i]));
  }
}

}  // namespace

TEST_CASE("marks of a text are those of its lines, one by one") {
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    std::string text = random_text(random, 40);
    if (round % 2 == 0) text.pop_back();  // the last line has no newline
    LineMarks marks;
    REQUIRE(mark_lines(text, ',', text_kernel(), marks));
    CHECK(marks.text == text.data());
    std::size_t at = 0;
    for (const LineMarks::Line& line : marks.lines) {
      const std::size_t length = length_of_line(std::string_view(text).substr(at));
      std::vector<FieldBlock> blocks(field_blocks(length));
      const FieldMarks alone = text_kernel().mark_fields(text.data() + at, length, ',', blocks.data());
      CHECK(line.marks.length == length);
      CHECK(line.marks.delimiters == alone.delimiters);
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        CHECK(marks.blocks[line.first_block + b].delimiters == blocks[b].delimiters);
        CHECK(marks.blocks[line.first_block + b].delimiters_before == blocks[b].delimiters_before);
      }
      at += length + 1;
    }
    CHECK(at >= text.size());
  }
}

TEST_CASE("lines that are short in the mean are not marked, nor those that quote") {
  LineMarks marks;
  std::string text;
  for (int line = 0; line < 100; ++line) text += std::string(100, '1') + ",2\n";
  CHECK_FALSE(mark_lines(text, ',', text_kernel(), marks));
  text.clear();
  for (int line = 0; line < 100; ++line) text += std::string(130, '1') + ",2\n";
  CHECK(mark_lines(text, ',', text_kernel(), marks));
  CHECK(marks.lines.size() == 100);
  CHECK(marks.memory_bytes() <= text.size() * 3 / 4);
  text[text.size() - 5] = '"';
  CHECK_FALSE(mark_lines(text, ',', text_kernel(), marks));
  CHECK(mark_lines("", ',', text_kernel(), marks));
  CHECK(marks.lines.empty());
}

TEST_CASE("what a CSV reader reads does not depend on marks") {
  Random random(4);
  for (int round = 0; round < 10; ++round) {
    const std::string text = "\xef\xbb\xbf" + random_text(random, 60);
    AttributeNames names(kDimension);
    names.categories().set_learned({[](Attribute) { return true; }, [] { return true; }});  // as numbers
    CsvReader with(csv_table(0, ','), names);
    CsvReader without(csv_table(0, ','), names);
    LineMarks marks;
    REQUIRE(mark_lines(text, ',', text_kernel(), marks));
    check_same(read(with, text, &marks), read(without, text, nullptr));
    // What comes behind is another text.
    const std::string next = random_text(random, 60);
    check_same(read(with, next, nullptr), read(without, next, nullptr));
    REQUIRE(mark_lines(next, ',', text_kernel(), marks));
    check_same(read(with, next, &marks), read(without, next, nullptr));
  }
}

TEST_CASE("marks of another text, or of a part of it, are not mistaken for this one's") {
  Random random(5);
  const std::string text = random_text(random, 30);
  const std::string other = random_text(random, 30);
  AttributeNames names(kDimension);
  names.categories().set_learned({[](Attribute) { return true; }, [] { return true; }});  // as numbers
  CsvReader with(csv_table(0, ','), names);
  CsvReader without(csv_table(0, ','), names);
  LineMarks marks;
  REQUIRE(mark_lines(other, ',', text_kernel(), marks));
  check_same(read(with, text, &marks), read(without, text, nullptr));
  REQUIRE(mark_lines(std::string_view(text).substr(0, text.size() / 2), ',', text_kernel(), marks));
  marks.lines.pop_back();  // what was cut off is no line
  check_same(read(with, text, &marks), read(without, text, nullptr));
}

}  // namespace line_marks_test
