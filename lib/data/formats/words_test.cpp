#include <cmath>
#include <doctest/doctest.h>

#include "data/formats/csv_reader.h"
#include "data/formats/ndjson_reader.h"
#include "data/formats/svmlight_reader.h"
#include "data/formats/vw_reader.h"
#include "data/reader_test_support.h"

namespace glimpse::words_test {
namespace {

std::vector<double> values(ExampleReader& reader, std::string_view record,
                           std::vector<Attribute> attributes) {
  require_open(reader, record);
  std::vector<double> result(attributes.size());
  const Status status = reader.reveal(attributes, result);
  REQUIRE_MESSAGE(status.has_value(), status.error().message);
  return result;
}

TableOptions last_column() {
  TableOptions options;
  options.label = parse_column("last");
  return options;
}

TEST_CASE(
    "ndjson: a label in quotes is a number where it can be one, and missing where a field of a table would "
    "be") {
  AttributeNames names(1);
  NdjsonReader reader(1, names);
  for (const auto& [text, number] : {std::pair("1", 1.0), {" -2.5 ", -2.5}, {"0", 0.0}}) {
    require_open(reader, R"({"label": ")" + std::string(text) + R"(", "values": [1]})");
    CHECK(reader.head().label == number);
  }
  for (const char* const missing : {"", "NA", " ? "}) {
    require_open(reader, R"({"label": ")" + std::string(missing) + R"(", "values": [1]})");
    CHECK(reader.has_example());
    CHECK_FALSE(reader.head().label);
  }
  CHECK_FALSE(names.categories().has_label_words());
  CHECK(open_error(reader, R"({"label": "1,234", "values": [1]})")
            .starts_with("label '1,234' is a number that"));
  require_open(reader, R"({"label": "no", "values": [1]})");
  CHECK(reader.head().label == 0.0);
  names.keep();
  require_open(reader, R"({"label": "1", "values": [1]})");
  CHECK(reader.head().label == 1.0);
  CHECK(names.categories().label_words().size() == 2);
}

TEST_CASE("csv: words are categories, of which only those looked at in a row with a label get codes") {
  AttributeNames names(3);
  CsvReader reader(last_column(), names);
  require_open(reader, "a,b,c,y");
  CHECK(values(reader, "M,1,x,5", {0, 1}) == std::vector<double>{0, 1});
  CHECK(values(reader, " F ,2,\"x, \"\"y\"\"\",5", {0, 1, 2}) == std::vector<double>{1, 2, 0});
  CHECK(names.categories().word(2, 0) == "x, \"y\"");
  CHECK(values(reader, "3,2,x,5", {0, 2}) == std::vector<double>{2, 1});
  CHECK(std::isnan(values(reader, "?,2,NA,5", {0, 2})[0]));
  std::vector<Entry> entries;
  require_open(reader, "Q,4,x,");
  REQUIRE(reader.reveal_all(entries).has_value());
  CHECK(std::isnan(entries[0].value));
  CHECK(entries[1].value == 4);
  CHECK(entries[2].value == 1);
  CHECK(names.categories().codes(0) == 3);
}

TEST_CASE(
    "csv: dates and numbers written in another way are refused alike by a look and by a look at everything") {
  for (const char* row : {"1,12:30,5", "1,2011-01-01,5", "1,$7,5", "1,12:30,", "1,$7,"}) {
    CAPTURE(row);
    AttributeNames names(2);
    CsvReader reader(last_column(), names);
    require_open(reader, "a,b,y");
    require_open(reader, row);
    std::vector<double> revealed(2);
    std::vector<Entry> entries;
    CHECK(reader.reveal_all(entries).has_error());
    CHECK(reader.reveal(std::vector<Attribute>{0, 1}, revealed).has_error());
    CHECK(names.categories().empty());
  }
}

TEST_CASE("csv: a row of words is a header only where it names the attributes or has words for numbers") {
  AttributeNames names(2);
  names.categories().declare_label();
  REQUIRE(names.categories().declare(0, "0").has_value());
  TableLayout known;
  CsvReader reader(last_column(), names, &known);
  CHECK(values(reader, "M,1,yes", {0, 1}) == std::vector<double>{0, 1});
  CHECK(*reader.head().label == 0);
  CHECK_FALSE(reader.has_header());
  AttributeNames named(2);
  REQUIRE(named.categories().declare(0, "a").has_value());
  REQUIRE(named.categories().declare(1, "b").has_value());
  REQUIRE(named.fix({"a", "b"}).has_value());
  CsvReader second(last_column(), named);
  require_open(second, "a,b,y");
  CHECK(second.has_header());
  CsvReader third(last_column(), named);
  CHECK(values(third, "M,N,3", {0, 1}) == std::vector<double>{0, 0});
}

TEST_CASE("csv: labels that are words are 0, 1, and so on") {
  AttributeNames names(1);
  CsvReader reader(last_column(), names);
  require_open(reader, "a,y");
  require_open(reader, "1,no");
  CHECK(*reader.head().label == 0);
  require_open(reader, "1,yes");
  CHECK(*reader.head().label == 1);
  require_open(reader, "1,?");
  CHECK_FALSE(reader.head().label.has_value());
  CHECK(open_error(reader, "1,maybe")
            .starts_with("column #2 ('y'): label 'maybe' is one class too many: there are 2 (no, yes)"));
}

TEST_CASE("csv: a header that comes again, in any order, makes no class of a column's name") {
  AttributeNames names(1);
  names.categories().declare_label();
  names.categories().declare_number(0);
  TableLayout known;
  CsvReader reader(last_column(), names, &known);
  CHECK(reader.open("x,y").has_value());
  CHECK(reader.open("1,yes").has_value());
  for (const char* again : {"x,y", "y,x", "x,y"}) {
    CHECK(holds_nothing(reader, again));
    CHECK(names.categories().label_words() == std::vector<std::string>{"yes"});
  }
  CHECK(reader.open("2,y").has_value());
  CHECK(names.categories().label_words() == std::vector<std::string>{"yes", "y"});
}

TEST_CASE("every format has numbers as classes where labels are words") {
  AttributeNames names(1);
  names.categories().set_label_limit(9, "");
  names.categories().declare_label();
  CsvReader csv(last_column(), names);
  require_open(csv, "a,y");
  require_open(csv, "1,3.0");
  CHECK(*csv.head().label == 0);
  SvmlightReader svmlight(1, 1, names);
  require_open(svmlight, "4 1:1");
  CHECK(*svmlight.head().label == 1);
  require_open(svmlight, "spam 1:1");
  CHECK(*svmlight.head().label == 2);
  VwReader vw(1, names);
  require_open(vw, "3 | 0:1");
  CHECK(*vw.head().label == 0);
  require_open(vw, "spam 'tag| 0:1");
  CHECK(*vw.head().label == 2);
  NdjsonReader ndjson(1, names, Absent::kZero);
  require_open(ndjson, R"({"label": 4, "values": [1]})");
  CHECK(*ndjson.head().label == 1);
  require_open(ndjson, R"({"label": "spam", "values": [1]})");
  CHECK(*ndjson.head().label == 2);
}

TEST_CASE("a line end in a quoted word is a blank") {
  AttributeNames names(1);
  names.categories().set_label_limit(9, "");
  CsvReader csv(last_column(), names);
  require_open(csv, "a,y");
  for (const char* record : {"1,\"big\ntown\"", "1,\"big\r\ntown\n\"", "1,big town"}) {
    require_open(csv, record);
    CHECK(*csv.head().label == 0);
    names.keep();
  }
  CHECK(names.categories().label_words() == std::vector<std::string>{"big town"});
}

TEST_CASE("no format makes a class of a name that is not seen as a whole, or that stands for no number") {
  AttributeNames names(1);
  names.categories().set_label_limit(9, "");
  names.categories().declare_label();
  CsvReader csv(last_column(), names);
  require_open(csv, "a,y");
  SvmlightReader svmlight(1, 1, names);
  VwReader vw(1, names);
  NdjsonReader ndjson(1, names, Absent::kZero);
  const auto refuse = [&](ExampleReader& reader, const std::string& record, const char* why) {
    CAPTURE(record);
    CHECK(open_error(reader, record).find(why) != std::string::npos);
  };
  constexpr const char* kUnseen = "that is not seen";
  refuse(ndjson, R"({"label": "y\n", "values": [1]})", kUnseen);
  for (const std::string name : {"y\x01", "y\x7f", "y\xe2\x80\xae", "\xe2\x80\x8fy", "y\xef\xbb\xbf"}) {
    refuse(csv, "1," + name, kUnseen);
    refuse(svmlight, name + " 1:1", kUnseen);
    refuse(vw, name + " | 0:1", kUnseen);
  }
  refuse(ndjson, R"({"label": "y\u202e", "values": [1]})", kUnseen);
  for (const std::string name : {"nan", "-inf", "Infinity"}) {
    refuse(csv, "1," + name, "for no number");
    refuse(svmlight, name + " 1:1", "for no number");
    refuse(vw, name + " | 0:1", "for no number");
    refuse(ndjson, R"({"label": ")" + name + R"(", "values": [1]})", "for no number");
  }
  CHECK(names.categories().label_words().empty());
}

TEST_CASE("ndjson: strings are words, and what is not given of categories is missing") {
  AttributeNames names(3);
  NdjsonReader reader(3, names, Absent::kZero);
  CHECK(values(reader, R"({"label": "no", "values": ["M", 1, "\u00e4"]})", {0, 1, 2}) ==
        std::vector<double>{0, 1, 0});
  CHECK(*reader.head().label == 0);
  CHECK(values(reader, R"({"label": "yes", "values": [5, 1, ""]})", {0, 1}) == std::vector<double>{1, 1});
  CHECK(*reader.head().label == 1);
  CHECK(std::isnan(values(reader, R"({"label": "no", "values": ["M", 1, "NA"]})", {2})[0]));
  const std::vector<double> some = values(reader, R"({"label": "no", "values": {"2": "\u00e4"}})", {0, 1, 2});
  CHECK(std::isnan(some[0]));
  CHECK(some[1] == 0);
  CHECK(some[2] == 0);
  CHECK(names.categories().word(2, 0) == "\xc3\xa4");
  // A number in quotes is a number.
  CHECK(values(reader, R"({"label": "no", "values": [null, " 2.5 ", null]})", {1}) ==
        std::vector<double>{2.5});
}

TEST_CASE("formats that cannot say a category refuse models that have some") {
  AttributeNames names(2);
  REQUIRE(names.categories().declare(1, "1").has_value());
  SvmlightReader reader(2, 1, names);
  CHECK(open_error(reader, "1 2:1") ==
        "attribute '1' holds categories, which svmlight cannot say: send CSV or JSON");
}

}  // namespace
}  // namespace glimpse::words_test
