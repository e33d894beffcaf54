#include <doctest/doctest.h>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "data/first_records.h"
#include "data/formats.h"

namespace glimpse::several_labels_reading_test {
namespace {

FormatOptions options_of(const std::vector<std::string>& labels, std::size_t dimension) {
  FormatOptions options;
  options.dimension = dimension;
  options.table.label = parse_column(labels.front());
  for (std::size_t l = 1; l < labels.size(); ++l)
    options.table.further_labels.push_back(parse_column(labels[l]));
  return options;
}

std::vector<double> labels_of(const ExampleHead& head) {
  if (!head.label) return {};
  std::vector<double> labels{*head.label};
  labels.insert(labels.end(), head.further_labels.begin(), head.further_labels.end());
  return labels;
}

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("labels of a table are found by name, wherever they stand, and are no attributes") {
  AttributeNames names(0);
  const auto reader = make_example_reader(Format::kCsv, options_of({"cnt", "temp"}, 0), names);
  REQUIRE(reader->open("temp,a,b,cnt").has_value());
  CHECK(!reader->has_example());
  CHECK(names.dimension() == 2);
  for (const char* row : {"1.5,7,8,12", "\"1.5\",7,8,12"}) {
    REQUIRE(reader->open(row).has_value());
    CHECK(labels_of(reader->head()) == Numbers{12, 1.5});
    const Attribute attributes[] = {0, 1};
    double values[2];
    REQUIRE(reader->reveal(attributes, values).has_value());
    CHECK(Numbers(values, values + 2) == Numbers{7, 8});
    std::vector<Entry> entries;
    REQUIRE(reader->reveal_all(entries).has_value());
    CHECK(entries.size() == 2);
  }
  REQUIRE(reader->open(",7,8,NA").has_value());
  CHECK(!reader->head().label);
  CHECK(reader->open("1,7,8,").error().message.starts_with("label 'cnt' is missing beside others"));
  CHECK(reader->open("hot,7,8,1")
            .error()
            .message.starts_with("label 'hot' in column #1 ('temp') is not a finite number, and of several "
                                 "labels none holds words"));
  CHECK(!reader->open("7,8").has_value());
}

TEST_CASE("labels of a table without a header go by number, and are kept with its columns") {
  AttributeNames names(2);
  TableLayout known;
  FormatOptions options = options_of({"#4", "#1"}, 2);
  options.known_table = &known;
  const auto reader = make_example_reader(Format::kCsv, options, names);
  REQUIRE(reader->open("1.5,7,8,12").has_value());
  CHECK(labels_of(reader->head()) == Numbers{12, 1.5});
  State state;
  state.begin();
  known.save(state);
  state.finish();
  const auto restored = TableLayout::restore(state, 2);
  CHECK(reader->open("7,8,1").error().message ==
        "row has 3 fields; a model of dimension 2 needs 4 (labels and attributes; empty labels get "
        "predictions)");
  AttributeNames others(2);
  FormatOptions first = options_of({"#4", "#1"}, 2);
  CHECK(
      make_example_reader(Format::kCsv, first, others)->open("1,7,8,1,2").error().message ==
      "row has 5 fields, which with their labels are of dimension 3; a model of dimension 2 needs 4 (labels "
      "and attributes; empty labels get predictions)");
  REQUIRE(restored.has_value());
  CHECK(*restored == known);
  CHECK(restored->further_labels() == std::vector<std::size_t>{0});
}

TEST_CASE("a header without any of the labels asks, and one with some of them is refused") {
  AttributeNames names(2);
  REQUIRE(names.fix({"a", "b"}).has_value());
  const FormatOptions options = options_of({"temp", "cnt"}, 2);
  const auto asks = make_example_reader(Format::kCsv, options, names);
  REQUIRE(asks->open("b,a").has_value());
  REQUIRE(asks->open("1,2").has_value());
  CHECK(asks->has_example());
  CHECK(!asks->head().label);
  const auto some = make_example_reader(Format::kCsv, options, names);
  CHECK(some->open("temp,b,a")
            .error()
            .message.starts_with("the header has some of the columns that --label names and lacks others"));
  const auto other = make_example_reader(Format::kCsv, options, names);
  CHECK(!other->open("cnt,b,a").has_value());
}

TEST_CASE("columns that are named twice are refused") {
  const auto refusal = [](const std::vector<std::string>& labels, const std::vector<std::string>& ignored) {
    AttributeNames names(0);
    FormatOptions options = options_of(labels, 0);
    for (const std::string& column : ignored) options.table.ignored.push_back(parse_column(column));
    const Status status = make_example_reader(Format::kCsv, options, names)->open("temp,a,b,cnt");
    return status ? std::string() : status.error().message;
  };
  CHECK(refusal({"temp", "#1"}, {}) == "--label: names the column temp twice");
  CHECK(refusal({"temp", "cnt"}, {"cnt"}) == "--ignore cnt: is a label's column");
  CHECK(refusal({"temp", "wind"}, {}).starts_with("--label wind: the header has no such column"));
}

TEST_CASE("what a table's first rows tell names all labels") {
  FormatOptions options = options_of({"temp", "cnt"}, 0);
  options.table.ignored.push_back(parse_column("id"));
  const auto first = read_first_records("id,temp,a,cnt,b\n1,2,3,4,5\n", true, Format::kAuto, options);
  REQUIRE(first.has_value());
  REQUIRE(first->has_value());
  CHECK((*first)->dimension == 2);
  CHECK((*first)->describe() ==
        "csv: header, 2 attributes, label 'temp' (column #2), label 'cnt' (column #4), 1 column ignored");
}

TEST_CASE("labels of JSON go by name") {
  AttributeNames names(2);
  const auto reader = make_example_reader(Format::kNdjson, options_of({"temp", "cnt"}, 2), names);
  const auto labels = [&](const std::string& given) {
    const Status status = reader->open("{" + given + R"("values":[7,8]})");
    CHECK_MESSAGE(status.has_value(), given);
    return labels_of(reader->head());
  };
  CHECK(labels(R"("labels":{"cnt":12,"temp":"1.5"},)") == Numbers{1.5, 12});
  CHECK(labels(R"("labels":{"cnt":null},)").empty());
  CHECK(labels(R"("labels":{"cnt":"NA","temp":""},)").empty());
  CHECK(labels(R"("labels":null,)").empty());
  CHECK(labels("").empty());
  const auto refusal = [&](const std::string& given) {
    const Status status = reader->open("{" + given + R"("values":[7,8]})");
    return status ? std::string() : status.error().message;
  };
  CHECK(refusal(R"("labels":{"cnt":12},)").starts_with("label 'temp' is missing beside others"));
  CHECK(refusal(R"("labels":{"cnt":12,"cnt":3},)") == "the label 'cnt' is given twice");
  CHECK(refusal(R"("labels":{"cnt":null,"cnt":3,"temp":1},)") == "the label 'cnt' is given twice");
  CHECK(refusal(R"("labels":{"cnt":12,"temp":3,"cnt":null},)") == "the label 'cnt' is given twice");
  std::string many = R"("labels":{"cnt":12,"temp":3)";
  for (int n = 0; n < 3000; ++n) many += fmt::format(",\"l{}\":{}", n, n);
  CHECK(refusal(many + "},") == "no label is called 'l0'");
  CHECK(refusal(R"("labels":{"cnt":12,"tmp":3},)") == "no label is called 'tmp'; did you mean 'temp'?");
  CHECK(
      refusal(R"("labels":{"cnt":12,"temp":[]},)").starts_with("the label 'temp' must be a number or null"));
  CHECK(refusal(R"("labels":{"cnt":12,"temp":{"a":1}},)") != "");
  CHECK(refusal(R"("labels":[1,2],)") == "'labels' must be an object or null, not an array");
  CHECK(refusal(R"("label":1,)").starts_with("'label' is one, but there are 2 labels"));
  AttributeNames others(2);
  const auto of_one = make_example_reader(Format::kNdjson, options_of({"temp"}, 2), others);
  CHECK(of_one->open(R"({"labels":{"temp":1},"values":[7,8]})")
            .error()
            .message.starts_with("'labels' is for several labels"));
}

}  // namespace glimpse::several_labels_reading_test
