#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <vector>

#include "data/formats/csv_reader.h"
#include "data/formats/ndjson_reader.h"
#include "data/reader_test_support.h"

// Values that are no numbers, in attributes that hold numbers.

namespace odd_values_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 5;

// An attribute at the beginning, in the middle and at the end.
constexpr Attribute kPlaces[] = {0, 2, 4};

// A labelled record whose values are 1 to 5, but for `word` at `attribute`.
std::string csv_row(Attribute attribute, std::string_view word, std::string_view label = "9") {
  std::string row(label);
  for (Attribute i = 0; i < kDimension; ++i)
    row.append(",").append(i == attribute ? word : std::string_view("12345").substr(i, 1));
  return row;
}

std::string in_json(std::string_view word) {
  std::string text = "\"";
  for (const char c : word) text += c == '\\' || c == '"' ? std::string("\\") + c : std::string(1, c);
  return text + '"';
}

std::string dense_json(Attribute attribute, std::string_view word) {
  std::string row = R"({"label": 9, "values": [)";
  for (Attribute i = 0; i < kDimension; ++i)
    row += (i > 0 ? ", " : "") + (i == attribute ? in_json(word) : std::to_string(i + 1));
  return row + "]}";
}

std::string named_json(Attribute attribute, std::string_view word, bool is_flat) {
  std::string row = is_flat ? R"({"label": 9)" : R"({"label": 9, "values": {)";
  for (Attribute i = 0; i < kDimension; ++i)
    row += (i > 0 || is_flat ? ", \"a" : "\"a") + std::to_string(i) +
           "\": " + (i == attribute ? in_json(word) : std::to_string(i + 1));
  return row + (is_flat ? "}" : "}}");
}

using Record = std::function<std::string(Attribute, std::string_view)>;

// Gives `check` a reader of each format, names that it shares, and what makes a record.
template <class Check>
void in_each_format(const Check& check) {
  const auto fixed = [] {
    AttributeNames names(kDimension);
    REQUIRE(names.fix({"a0", "a1", "a2", "a3", "a4"}).has_value());
    return names;
  };
  {
    INFO("csv");
    AttributeNames names = fixed();
    CsvReader reader(csv_table(0, ','), names);
    REQUIRE(reader.open("y,a0,a1,a2,a3,a4").has_value());
    check(reader, names, [](Attribute i, std::string_view word) { return csv_row(i, word); });
  }
  {
    INFO("csv in quotes");
    AttributeNames names = fixed();
    CsvReader reader(csv_table(0, ','), names);
    REQUIRE(reader.open("y,a0,a1,a2,a3,a4").has_value());
    check(reader, names,
          [](Attribute i, std::string_view word) { return csv_row(i, "\"" + std::string(word) + "\""); });
  }
  {
    INFO("ndjson in order");
    AttributeNames names(kDimension);
    NdjsonReader reader(kDimension, names);
    check(reader, names, dense_json);
  }
  for (const bool is_flat : {false, true}) {
    INFO("ndjson by name");
    AttributeNames names = fixed();
    NdjsonReader reader(kDimension, names, Absent::kAuto, TableOptions());
    check(reader, names,
          [is_flat](Attribute i, std::string_view word) { return named_json(i, word, is_flat); });
  }
}

// What two attributes of the record are, and what all are, must be the same.
std::vector<double> all_of(ExampleReader& reader, const std::string& record) {
  CAPTURE(record);
  std::vector<double> all(kDimension);
  for (const Entry& entry : reveal_all(reader, record)) all[entry.attribute] = entry.value;
  for (Attribute i = 0; i + 1 < kDimension; ++i) {
    const std::vector<double> two = reveal(reader, record, {i, static_cast<Attribute>(i + 1)});
    CHECK(same(two[0], all[i]));
    CHECK(same(two[1], all[i + 1]));
  }
  return all;
}

}  // namespace

TEST_CASE("a mark for a missing value among declared numbers is missing, and leaves the others") {
  in_each_format([](ExampleReader& reader, AttributeNames& names, const Record& record) {
    for (Attribute i = 0; i < kDimension; ++i) names.categories().declare_number(i);
    for (const char* mark : {"nan", "None", "\\N", "--", "NaT", "n.a.", "#NA", "NA", "?", ""})
      for (const Attribute at : kPlaces) {
        const std::vector<double> values = all_of(reader, record(at, mark));
        for (Attribute i = 0; i < kDimension; ++i) CHECK(same(values[i], i == at ? kMissing : i + 1.0));
        CHECK(reader.head().label == 9.0);
      }
    CHECK(names.categories().empty());
    CHECK(names.categories().take_odd().empty());
  });
}

TEST_CASE("true and false among declared numbers are 1 and 0") {
  in_each_format([](ExampleReader& reader, AttributeNames& names, const Record& record) {
    for (Attribute i = 0; i < kDimension; ++i) names.categories().declare_number(i);
    for (const Attribute at : kPlaces) {
      CHECK(all_of(reader, record(at, "true"))[at] == 1);
      CHECK(all_of(reader, record(at, "FALSE"))[at] == 0);
    }
    CHECK(names.categories().empty());
  });
}

TEST_CASE("an odd value among numbers is missing and collected where records may have some") {
  in_each_format([](ExampleReader& reader, AttributeNames& names, const Record& record) {
    Categories& categories = names.categories();
    for (Attribute i = 0; i < kDimension; ++i) categories.declare_number(i);
    categories.set_takes_odd(true);
    for (const char* word : {"<5", "abc", "1.2.3", "2026-01-01", "12:30", "$7", "1.5kg", "1e999", "inf"})
      for (const Attribute at : kPlaces) {
        CAPTURE(word);
        const std::vector<double> values = all_of(reader, record(at, word));
        for (Attribute i = 0; i < kDimension; ++i) CHECK(same(values[i], i == at ? kMissing : i + 1.0));
        const auto odd = categories.take_odd();
        REQUIRE(!odd.empty());
        for (const auto& value : odd) {
          CHECK(value.attribute == at);
          CHECK(value.word == word);
        }
      }
    CHECK(categories.empty());
  });
}

TEST_CASE("an odd value that is not observed is not collected") {
  in_each_format([](ExampleReader& reader, AttributeNames& names, const Record& record) {
    for (Attribute i = 0; i < kDimension; ++i) names.categories().declare_number(i);
    names.categories().set_takes_odd(true);
    for (const Attribute at : kPlaces) {
      const std::vector<Attribute> others = at == 0   ? std::vector<Attribute>{1, 4}
                                            : at == 2 ? std::vector<Attribute>{1, 3}
                                                      : std::vector<Attribute>{0, 3};
      const std::vector<double> values = reveal(reader, record(at, "abc"), others);
      for (std::size_t i = 0; i < others.size(); ++i) CHECK(values[i] == others[i] + 1.0);
      CHECK(names.categories().take_odd().empty());
    }
  });
}

TEST_CASE("an odd value among numbers refuses the record where odd values are refused") {
  in_each_format([](ExampleReader& reader, AttributeNames& names, const Record& record) {
    for (Attribute i = 0; i < kDimension; ++i) names.categories().declare_number(i);
    for (const char* word : {"<5", "abc", "2026-01-01", "inf"})
      for (const Attribute at : kPlaces) {
        CAPTURE(word);
        CHECK_FALSE(reveal_error(reader, record(at, word), {at}).empty());
        CHECK_FALSE(reveal_all_error(reader, record(at, word)).empty());
        const Attribute other = at == 2 ? 0 : 2;
        CHECK(reveal(reader, record(at, word), {other}) == std::vector<double>{other + 1.0});
      }
    CHECK(names.categories().empty());
    CHECK(names.categories().take_odd().empty());
  });
}

TEST_CASE("beside declared numbers an attribute of words takes every value as a word") {
  in_each_format([](ExampleReader& reader, AttributeNames& names, const Record& record) {
    for (const Attribute i : {0U, 1U, 3U}) names.categories().declare_number(i);
    REQUIRE(names.categories().declare(2, "a2").has_value());
    names.categories().set_takes_odd(true);
    CHECK(reveal(reader, record(2, "None"), {2}) == std::vector<double>{0});
    CHECK(reveal(reader, record(2, "true"), {2}) == std::vector<double>{1});
    CHECK(reveal(reader, record(2, "<5"), {2}) == std::vector<double>{2});
    // Of it nothing is known: words may come yet.
    for (const char* mark : {"None", "nan", "\\N", "--", "NaT", "n.a.", "#NA"})
      CHECK(same(reveal(reader, record(4, mark), {4})[0], kMissing));
    CHECK(reveal(reader, record(4, "x"), {4}) == std::vector<double>{0});
    CHECK(reveal(reader, record(4, "None"), {4}) == std::vector<double>{1});
    CHECK(names.categories().take_odd().empty());
  });
}

TEST_CASE("a twin of names takes odd values where they do, also of numbers that were learned from") {
  AttributeNames names(kDimension);
  names.categories().declare_number(2);
  AttributeNames twin = names.twin();
  CHECK(twin.categories().is_number(2));
  CHECK_FALSE(twin.categories().is_number(0));
  TableOptions options = csv_table(0, ',');
  options.header = HeaderChoice::kNo;
  CsvReader reader(options, twin);
  CHECK(same(reveal(reader, csv_row(2, "None"), {2})[0], kMissing));
  CHECK_FALSE(reveal_error(reader, csv_row(2, "abc"), {2}).empty());
  twin.categories().set_takes_odd(true);
  for (const Attribute at : kPlaces) CHECK(same(reveal(reader, csv_row(at, "abc"), {at})[0], kMissing));
  CHECK(twin.categories().take_odd().size() == std::size(kPlaces));
}

TEST_CASE(
    "csv: a mark for a missing label among declared numbers makes a question, and another word an error") {
  AttributeNames names(kDimension);
  names.categories().declare_label_number();
  CsvReader reader(csv_table(0, ','), names);
  REQUIRE(reader.open("y,a0,a1,a2,a3,a4").has_value());
  for (const char* mark : {"None", "nan", "\\N", "--", "NA", ""}) {
    CAPTURE(mark);
    CHECK(reveal(reader, csv_row(9, {}, mark), {0, 4}) == std::vector<double>{1, 5});
    CHECK_FALSE(reader.head().label);
  }
  CHECK(open_error(reader, csv_row(9, {}, "yes")).find("label 'yes' is not a finite number") !=
        std::string::npos);
  CHECK_FALSE(names.categories().has_label_words());
  CHECK(reveal(reader, csv_row(9, {}, "2.5"), {0}) == std::vector<double>{1});
  CHECK(reader.head().label == 2.5);
}

}  // namespace odd_values_test
