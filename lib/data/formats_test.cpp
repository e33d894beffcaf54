#include "data/formats.h"

#include "data/reader_test_support.h"

namespace formats_test {

using namespace glimpse;

using Values = std::vector<double>;

TEST_CASE("a byte order mark in front of a record is no part of it, in any text format") {
  for (const std::string_view record :
       {R"({"label": 1, "values": [2, 3]})", "1 1:2 2:3", "1 | 0:2 1:3", "1,2,3"}) {
    CAPTURE(std::string(record));
    const std::string marked = "\xef\xbb\xbf" + std::string(record);
    CHECK(detect_format(marked) == detect_format(record));
    for (const Format format : {detect_format(record), Format::kAuto}) {
      AttributeNames names(2);
      FormatOptions options;
      options.dimension = 2;
      const auto reader = make_example_reader(format, options, names);
      REQUIRE(reader->open(marked).has_value());
      CHECK(reader->head().label == 1.0);
      std::vector<double> values(2);
      REQUIRE(reader->reveal(std::vector<Attribute>{0, 1}, values).has_value());
      CHECK(values == std::vector<double>{2, 3});
    }
  }
}

TEST_CASE("formats have names, and an unknown one is told which there are") {
  for (const Format format :
       {Format::kAuto, Format::kSvmlight, Format::kVw, Format::kCsv, Format::kNdjson, Format::kF32}) {
    CHECK(*parse_format(name_of(format)) == format);
  }
  const auto unknown = parse_format("xml");
  REQUIRE(unknown.has_error());
  CHECK(unknown.error().code == ErrorCode::kInvalidOption);
  CHECK(unknown.error().message ==
        "format 'xml' is unknown: auto, svmlight, vw, csv, ndjson, f32, npy or arff");
  CHECK(*parse_format("arff") == Format::kCsv);
}

TEST_CASE("a first record tells its format") {
  CHECK(detect_format("") == Format::kAuto);
  CHECK(detect_format(" \t") == Format::kAuto);
  CHECK(detect_format("# 1 | a") == Format::kAuto);
  CHECK(detect_format(" {\"values\": {}}") == Format::kNdjson);
  CHECK(detect_format("[1, 2]") == Format::kNdjson);
  CHECK(detect_format("1 | 3:4") == Format::kVw);
  CHECK(detect_format("|a b") == Format::kVw);
  CHECK(detect_format("1 3:4") == Format::kSvmlight);
  CHECK(detect_format("3:4") == Format::kSvmlight);
  CHECK(detect_format("1 qid:x 3:0.5 # c") == Format::kSvmlight);
  CHECK(detect_format("1,2,3") == Format::kCsv);
  CHECK(detect_format("label,a,b") == Format::kCsv);
  CHECK(detect_format("1 0:5:1.0 1:7:0.5") == Format::kSvmlight);
  CHECK(detect_format("1\t12:30:45\t5") == Format::kCsv);
  CHECK(detect_format("1 12:30:45") == Format::kCsv);
  CHECK(detect_format("1;12:30;5") == Format::kCsv);
  CHECK(detect_format("1,12:30,5") == Format::kCsv);
}

TEST_CASE("every format has a reader") {
  AttributeNames names(2);
  const FormatOptions options{.dimension = 2};
  const auto second = [&](Format format, std::string_view record) {
    auto reader = make_example_reader(format, options, names);
    return reveal(*reader, record, {1})[0];
  };
  CHECK(second(Format::kSvmlight, "1 2:5") == 5);
  CHECK(second(Format::kVw, "1 | 1:5") == 5);
  CHECK(second(Format::kCsv, "1,4,5") == 5);
  CHECK(second(Format::kNdjson, "[4,5]") == 5);
  CHECK(second(Format::kF32, f32_row({1, 4, 5})) == 5);
  for (const std::string_view record : {"1 2:5", "1 | 1:5", "1,4,5", "[4,5]"})
    CHECK(second(Format::kAuto, record) == 5);
}

TEST_CASE("options reach the readers") {
  AttributeNames names(2);
  const FormatOptions options{.dimension = 2, .svmlight_index_base = 0, .table = csv_table(2, ';')};
  CHECK(reveal(*make_example_reader(Format::kSvmlight, options, names), "1 0:5", {0}) == Values{5});
  const auto csv = make_example_reader(Format::kCsv, options, names);
  CHECK(reveal(*csv, "5;6;7", {0, 1}) == Values{5, 6});
  CHECK(csv->head().label == 7.0);
}

TEST_CASE("auto waits for a record that tells its format, and then keeps to it") {
  AttributeNames names(3);
  const auto reader = make_example_reader(Format::kAuto, FormatOptions{.dimension = 3}, names);
  CHECK(holds_nothing(*reader, "# hello"));
  CHECK(holds_nothing(*reader, ""));
  Values values(1);
  CHECK(reader->reveal(std::vector<Attribute>{0}, values).has_error());
  CHECK(holds_nothing(*reader, "label,a,b,c"));
  CHECK(reveal(*reader, "9,1,2,3", {1}) == Values{2});
  CHECK(names.name(2) == "c");
  CHECK(reader->head().label == 9.0);
  CHECK(open_error(*reader, "1 2:5").starts_with("row has 1 field, and the header 4: "));
  CHECK_FALSE(reader->head().label);
}

namespace {

// The records of `text` as a block brings them: the label of each, "-" for a question, or what is wrong.
std::vector<std::string> taken(std::string_view text, std::size_t dimension) {
  AttributeNames names(dimension);
  const auto reader = make_example_reader(
      Format::kAuto, FormatOptions{.dimension = dimension, .table = {.delimiter = 0}}, names);
  RecordCursor cursor(text, Framing::lines(1000));
  std::vector<std::string> all;
  while (const auto record = cursor.next([&](std::string_view rest) { return reader->line_length(rest); })) {
    const Status status = reader->open(*record);
    if (!status)
      all.push_back(status.error().message);
    else if (reader->has_example())
      all.push_back(reader->head().label ? fmt::format("{}", *reader->head().label) : "-");
  }
  return all;
}

}  // namespace

TEST_CASE("a number alone is an example of zeros where the next line that tells is svmlight's") {
  using Texts = std::vector<std::string>;
  CHECK(taken("4\n1 1:2\n7\n", 2) == Texts{"4", "1", "7"});
  CHECK(taken("4\n5\r\n\n# c\n\t6 \n1 2:3", 2) == Texts{"4", "5", "6", "1"});
  CHECK(taken("1 1:2\n4\n", 2) == Texts{"1", "4"});
  AttributeNames names(2);
  const auto reader = make_example_reader(Format::kAuto, FormatOptions{.dimension = 2}, names);
  CHECK(reader->line_length("4\n1 1:2\n") == 1);
  CHECK(reveal(*reader, "4", {0, 1}) == Values{0, 0});
}

TEST_CASE("a number alone above a table is no example, and neither is one behind which nothing tells") {
  const auto above = taken("100\n1,2,3\n4,5,6\n", 2);
  REQUIRE(above.size() == 3);
  CHECK(above[0].starts_with("row has 1 fields"));
  CHECK(above[2] == "4");
  const auto alone = taken("4\n5\n", 2);
  REQUIRE(alone.size() == 2);
  CHECK(alone[0].starts_with("'4' may be svmlight's"));
  CHECK(alone[1].find("--format svmlight") != std::string::npos);
}

TEST_CASE("what an undecided line refuses decides nothing") {
  AttributeNames names(2);
  const auto reader = make_example_reader(Format::kAuto, FormatOptions{.dimension = 2}, names);
  CHECK(open_error(*reader, "4").starts_with("'4' may be"));  // nothing behind it is shown
  CHECK(reveal(*reader, "1 2:5", {1}) == Values{5});
}

TEST_CASE("a number alone is a question where the model has one attribute") {
  CHECK(taken("4\n5\n1,2\n", 1) == std::vector<std::string>{"-", "-", "1"});
}

TEST_CASE("features without a bar above lines of vw are refused, and these are read") {
  const auto found = taken("1 a:1 b:2\n3 | a:1 b:2\n5 |a:1\n", 2);
  REQUIRE(found.size() == 3);
  CHECK(found[0].starts_with("no '|' before the features"));
  CHECK(found[1] == "3");
  CHECK(found[2] == "5");
  CHECK(taken("1 a:1 b:2\n4 5 6\n", 2) == std::vector<std::string>{"4"});  // names of columns
}

}  // namespace formats_test
