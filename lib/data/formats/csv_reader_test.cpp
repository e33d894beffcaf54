#include "data/formats/csv_reader.h"

#include "data/reader_test_support.h"

using namespace glimpse;

using Values = std::vector<double>;
using Entries = std::vector<Entry>;

TEST_CASE("csv: the label column stands beside the attributes, wherever it is") {
  AttributeNames names(3);
  CsvReader first(3, 0, ',', names);
  CHECK(reveal(first, "9,1,2,3", {0, 1, 2}) == Values{1, 2, 3});
  CHECK(first.head().label == 9.0);
  CHECK(reveal(first, "9,1,2,3", {2}) == Values{3});
  CsvReader second(3, 1, ',', names);
  CHECK(reveal(second, " 1 , 9 ,2,\t3\r", {0, 2}) == Values{1, 3});
  CHECK(second.head().label == 9.0);
  CsvReader last(3, 3, ';', names);
  CHECK(reveal_all(last, "1;2;3;9") == Entries{{0, 1}, {1, 2}, {2, 3}});
  CHECK(last.head().label == 9.0);
}

TEST_CASE("csv: a row without label asks for a prediction") {
  AttributeNames names(3);
  CsvReader reader(3, 1, ',', names);
  for (const std::string_view record :
       {"1,2,3", "1,,2,3", "1,?,2,3", "1,NA,2,3", "1, null ,2,3", "1,\"\",2,3"}) {
    CHECK(reveal(reader, record, {0, 1, 2}) == Values{1, 2, 3});
    CHECK_FALSE(reader.head().label);
  }
}

TEST_CASE("csv: missing values are NaN") {
  AttributeNames names(7);
  CsvReader reader(7, 0, ',', names);
  const auto entries = reveal_all(reader, "1,, NA,N/A,null,NULL,?,7");
  REQUIRE(entries.size() == 7);
  for (Attribute a = 0; a < 6; ++a) CHECK(entries[a] == Entry{a, kMissing});
  CHECK(entries[6] == Entry{6, 7});
  CHECK(same(reveal(reader, "1,2,3,4,5,6,7,", {6})[0], kMissing));
}

TEST_CASE("csv: words for NaN and infinity are errors that say what to write") {
  AttributeNames names(2);
  CsvReader reader(2, 0, ',', names);
  const std::string hint =
      " in field 2 is not a finite number: leave the field empty or write NA where it is missing";
  CHECK(reveal_error(reader, "1,nan,2", {0}) == "value 'nan'" + hint);
  CHECK(reveal_error(reader, "1,-Inf,2", {0}) == "value '-Inf'" + hint);
  CHECK(reveal_error(reader, "1,x,2", {0}) == "value 'x' in field 2 is not a finite number");
  CHECK(reveal(reader, "1,x,2", {1}) == Values{2});
  CHECK(open_error(reader, "inf,1,2") == "label 'inf' is not a finite number");
  CHECK(names.empty());
}

TEST_CASE("csv: a row of another width is an error that says which widths there are") {
  AttributeNames names(3);
  CsvReader reader(3, 0, ',', names);
  CHECK(open_error(reader, "1,2,3,4,5") ==
        "row has 5 fields; a model of dimension 3 needs 4 (label and attributes) or 3 (attributes alone, to "
        "get a "
        "prediction)");
  CHECK(open_error(reader, "1,2").starts_with("row has 2 fields;"));
  CHECK(reveal(reader, "1,2,3", {0}) == Values{1});
}

TEST_CASE("csv: a header fixes the names and is no example") {
  AttributeNames names(3);
  CsvReader reader(3, 1, ',', names);
  CHECK(holds_nothing(reader, ""));
  CHECK(holds_nothing(reader,
                      "\xef\xbb\xbf"
                      "age,label, \"height, cm\" ,\"\"\"w\"\"\""));
  CHECK(names.name(0) == "age");
  CHECK(names.name(1) == "height, cm");
  CHECK(names.name(2) == "\"w\"");
  CHECK(reveal(reader, "1,9,2,3", {0, 1, 2}) == Values{1, 2, 3});

  CsvReader again(3, 0, ',', names);
  CHECK(holds_nothing(again, "label,age,\"height, cm\",\"\"\"w\"\"\""));
  CsvReader attributes_alone(3, 0, ',', names);
  CHECK(holds_nothing(attributes_alone, "age,\"height, cm\",\"\"\"w\"\"\""));
  CHECK(reveal(attributes_alone, "1,2,3", {0}) == Values{1});
  CsvReader without_header(3, 0, ',', names);
  CHECK(reveal(without_header, "NA,2,,3", {0}) == Values{2});
}

TEST_CASE("csv: a header of control characters names nothing, and every row after it is refused") {
  AttributeNames names(2);
  CsvReader reader(2, 0, ',', names);
  const auto status = reader.open("y,a\x04,b");
  REQUIRE(status.has_error());
  CHECK(status.error().message ==
        "the row would be a header, but the name of column 2 has control characters: 'a\\x04'");
  CHECK(names.size() == 0);
  CHECK(reader.open("1,2,3").has_error());
}

TEST_CASE("csv: after a header that contradicts the known names every row is refused") {
  AttributeNames names(2);
  REQUIRE(names.fix({"a", "b"}).has_value());
  CsvReader reader(2, 0, ',', names);
  const auto status = reader.open("label,b,a");
  REQUIRE(status.has_error());
  CHECK(status.error().code == ErrorCode::kMismatch);
  CHECK(open_error(reader, "1,2,3") ==
        "row refused, as the header was: attribute 0 cannot be named 'b': it is 'a' in this model");
}

TEST_CASE("csv: quoted fields may hold numbers") {
  AttributeNames names(3);
  CsvReader reader(3, 0, ',', names);
  CHECK(reveal(reader, "\"9\",\"1.5\", \" 2 \" ,3", {0, 1, 2}) == Values{1.5, 2, 3});
  CHECK(reader.head().label == 9.0);
  CHECK(reveal_error(reader, "1,\"1,5\",2,3", {0}) == "value '1,5' in field 2 is not a finite number");
  CHECK(open_error(reader, "1,\"2,3,4") == "the quote of field 2 does not end");
}

TEST_CASE("csv: tabs and blanks can divide fields") {
  AttributeNames names(2);
  CsvReader tabs(2, 0, '\t', names);
  CHECK(reveal(tabs, "1\t 2 \t3", {0, 1}) == Values{2, 3});
  CHECK(same(reveal(tabs, "\t\t", {0})[0], kMissing));
  CHECK_FALSE(tabs.head().label);
  CsvReader blanks(2, 0, ' ', names);
  CHECK(reveal(blanks, "1 2 3", {0, 1}) == Values{2, 3});
}

TEST_CASE("csv: blank lines and comments hold no example") {
  AttributeNames names(1);
  CsvReader reader(1, 0, ',', names);
  for (const std::string_view record : {"", "  ", "# a,b"}) CHECK(holds_nothing(reader, record));
  CHECK(reveal(reader, "5", {0}) == Values{5});
  CHECK(names.empty());
}

TEST_CASE("csv: a label column beyond the attributes refuses rows and does not crash") {
  AttributeNames names(2);
  CsvReader reader(2, 7, ',', names);
  CHECK(open_error(reader, "1,2,3").starts_with("row has 3 fields"));
}

TEST_CASE("csv: labelled rows say all attributes by number, unless a header named them") {
  AttributeNames names(2);
  {
    CsvReader reader(2, 0, ',', names);
    CHECK(reveal(reader, "1,2", {0}) == std::vector<double>{1});  // asks for a prediction
    CHECK(reveal_error(reader, "1,x,3", {0}).starts_with("value 'x'"));
    CHECK(*names.find_or_add("a") == 0);
    CHECK(reveal_error(reader, "1,2,3", {0}).starts_with("attribute 0 is what this model calls 'a'"));
    CHECK(reveal_error(reader, "1,\"2\",3", {0}).starts_with("attribute 0 is what this model calls 'a'"));
    CHECK(reveal_all_error(reader, "1,2,3").starts_with("attribute 0 is what this model calls 'a'"));
    CHECK(reveal(reader, "2,3", {0}) == std::vector<double>{2});
  }
  CsvReader reader(2, 0, ',', names);
  CHECK(holds_nothing(reader, "label,a,b"));
  CHECK(reveal(reader, "1,2,3", {0, 1}) == std::vector<double>{2, 3});
  CHECK(names.find("b") == Attribute{1});

  AttributeNames none(2);
  CsvReader plain(2, 0, ',', none);
  CHECK(reveal(plain, "1,2,3", {0}) == std::vector<double>{2});
  CHECK_FALSE(none.find_or_add("a").has_value());
}

TEST_CASE("csv: a row of far too many fields is not divided") {
  AttributeNames names(2);
  CsvReader reader(2, 0, ',', names);
  const std::string many(5000, ',');
  CHECK(open_error(reader, many) ==
        "row has 5001 fields; a model of dimension 2 needs 3 (label and attributes) or 2 (attributes alone, "
        "to get a "
        "prediction)");
  CHECK(open_error(reader, "\"a\"" + many) == "the row has more than 1002 fields");
}
