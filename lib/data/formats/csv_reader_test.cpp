#include "data/formats/csv_reader.h"

#include <algorithm>

#include "data/formats/dialect_reader.h"
#include "data/reader_test_support.h"

namespace csv_reader_test {

using namespace glimpse;

using Values = std::vector<double>;
using Entries = std::vector<Entry>;

TEST_CASE("csv: the label column stands beside the attributes, wherever it is") {
  AttributeNames names(3);
  CsvReader first(csv_table(0, ','), names);
  CHECK(reveal(first, "9,1,2,3", {0, 1, 2}) == Values{1, 2, 3});
  CHECK(first.head().label == 9.0);
  CHECK(reveal(first, "9,1,2,3", {2}) == Values{3});
  CsvReader second(csv_table(1, ','), names);
  CHECK(reveal(second, " 1 , 9 ,2,\t3\r", {0, 2}) == Values{1, 3});
  CHECK(second.head().label == 9.0);
  CsvReader last(csv_table(3, ';'), names);
  CHECK(reveal_all(last, "1;2;3;9") == Entries{{0, 1}, {1, 2}, {2, 3}});
  CHECK(last.head().label == 9.0);
}

TEST_CASE("csv: without a header a row without its label, or with an empty one, asks for a prediction") {
  AttributeNames names(3);
  CsvReader reader(csv_table(1, ','), names);
  for (const std::string_view record :
       {"1,2,3", "1,,2,3", "1,?,2,3", "1,NA,2,3", "1, null ,2,3", "1,\"\",2,3"}) {
    CHECK(reveal(reader, record, {0, 1, 2}) == Values{1, 2, 3});
    CHECK_FALSE(reader.head().label);
  }
}

TEST_CASE("csv: a header of other attributes' numbers is refused where rows came without one") {
  for (const bool asks : {false, true}) {
    AttributeNames names(3);
    CsvReader first(csv_table(0, ','), names);
    CHECK(reveal(first, "9,1,2,3", {0, 1, 2}) == Values{1, 2, 3});
    names.keep();
    names.set_open(!asks);
    CsvReader other(csv_table(0, ','), names);
    CHECK(open_error(other, "y,2,0,1")
              .starts_with("the header would call attribute 0 of this model '2', and attributes were used by "
                           "number before"));
    CHECK(open_error(other, "9,1,2,3").starts_with("row refused, as the header was: "));
    CHECK(names.empty());
    CsvReader same(csv_table(3, ','), names);
    CHECK(same.open("0,1,2,y").has_value());
    CHECK(reveal(same, "1,2,3,9", {0, 1, 2}) == Values{1, 2, 3});
  }
}

TEST_CASE("csv: missing values are NaN") {
  AttributeNames names(7);
  CsvReader reader(csv_table(0, ','), names);
  const auto entries = reveal_all(reader, "1,, NA,N/A,null,NULL,?,7");
  REQUIRE(entries.size() == 7);
  for (Attribute a = 0; a < 6; ++a) CHECK(entries[a] == Entry{a, kMissing});
  CHECK(entries[6] == Entry{6, 7});
  CHECK(same(reveal(reader, "1,2,3,4,5,6,7,", {6})[0], kMissing));
}

TEST_CASE("csv: words for infinity are errors that say what to write") {
  AttributeNames names(2);
  CsvReader reader(csv_table(0, ','), names);
  const std::string hint =
      " in column #2 is not a finite number: leave the field empty or write NA where it is missing";
  CHECK(reveal_error(reader, "1,inf,2", {0}) == "value 'inf'" + hint);
  CHECK(reveal_error(reader, "1,-Inf,2", {0}) == "value '-Inf'" + hint);
  names.categories().set_learned({[](Attribute) { return true; }, [] { return true; }});
  CHECK(reveal_error(reader, "1,x,2", {0})
            .starts_with("column #2: value 'x' is a word, and '#2' holds numbers: "));
  CHECK(reveal(reader, "1,x,2", {1}) == Values{2});
  CHECK(open_error(reader, "inf,1,2").starts_with("column #1: label 'inf' is not a finite number: leave"));
  CHECK(names.empty());
}

TEST_CASE("csv: a row of another width is an error that says which widths there are") {
  AttributeNames names(3);
  CsvReader reader(csv_table(0, ','), names);
  CHECK(open_error(reader, "1,2,3,4,5") ==
        "row has 5 fields, which with their label are of dimension 4; a model of dimension 3 needs 4 (label "
        "and "
        "attributes) or 3 (attributes alone, to "
        "get a "
        "prediction)");
  CHECK(open_error(reader, "1,2").starts_with("row has 2 fields;"));
  CHECK(reveal(reader, "1,2,3", {0}) == Values{1});
}

TEST_CASE("csv: a header fixes the names and is no example") {
  AttributeNames names(3);
  CsvReader reader(csv_table(1, ','), names);
  CHECK(holds_nothing(reader, ""));
  CHECK(holds_nothing(reader,
                      "\xef\xbb\xbf"
                      "age,label, \"height, cm\" ,\"\"\"w\"\"\""));
  CHECK(names.empty());  // it may be no table's
  CHECK(reveal(reader, "1,9,2,3", {0, 1, 2}) == Values{1, 2, 3});
  CHECK(names.name(0) == "age");
  CHECK(names.name(1) == "height, cm");
  CHECK(names.name(2) == "\"w\"");
  names.take_back();
  CHECK(names.empty());
  CHECK(names.fixed() == 0);
  CHECK(reveal(reader, "1,9,2,3", {0, 1, 2}) == Values{1, 2, 3});
  names.keep();
  CHECK(names.are_complete());

  CsvReader again(csv_table(0, ','), names);
  CHECK(holds_nothing(again, "label,age,\"height, cm\",\"\"\"w\"\"\""));
  CsvReader attributes_alone(csv_table(0, ','), names);
  CHECK(holds_nothing(attributes_alone, "age,\"height, cm\",\"\"\"w\"\"\""));
  CHECK(reveal(attributes_alone, "1,2,3", {0}) == Values{1});
  CsvReader without_header(csv_table(0, ','), names);
  CHECK(reveal(without_header, "NA,2,,3", {0}) == Values{2});
}

TEST_CASE("csv: a header of control characters names nothing, and every row after it is refused") {
  AttributeNames names(2);
  CsvReader reader(csv_table(0, ','), names);
  const auto status = reader.open("y,a\x04,b");
  REQUIRE(status.has_error());
  CHECK(status.error().message ==
        "the row would be a header, but the name of column #2 has control characters: 'a\\x04'");
  CHECK(names.size() == 0);
  CHECK(reader.open("1,2,3").has_error());
}

TEST_CASE("csv: after a header that lacks an attribute every row is refused") {
  AttributeNames names(2);
  REQUIRE(names.fix({"age", "bp"}).has_value());
  CsvReader reader(csv_table(0, ','), names);
  const auto status = reader.open("label,bpp,age");
  REQUIRE(status.has_error());
  CHECK(status.error().code == ErrorCode::kMismatch);
  CHECK(open_error(reader, "1,2,3") ==
        "row refused, as the header was: the header has no column 'bp', which is an attribute of this model; "
        "did you mean 'bpp'?");
}

TEST_CASE("csv: attributes that a header lacks are missing, in any place, of rows that ask") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<std::string>> cases{{"b", "c"}, {"a", "c"}, {"b", "a"}, {"c"}, {"b"}};
  for (const std::string label : {"", ",y"})
    for (const auto& present : cases) {
      AttributeNames names(3);
      REQUIRE(names.fix({"a", "b", "c"}).has_value());
      TableOptions options = csv_table(0, ',');
      options.label = parse_column("y");
      options.ignored = {parse_column("id")};
      CsvReader reader(options, names);
      std::string header = "id";
      std::string row = "7";
      Values expected(3, nan);
      for (std::size_t i = 0; i < present.size(); ++i) {
        header += "," + present[i];
        row += fmt::format(",{}", i + 1);
        expected[static_cast<std::size_t>(present[i][0] - 'a')] = static_cast<double>(i + 1);
      }
      CAPTURE(header);
      CHECK(holds_nothing(reader, header + label));
      row += label.empty() ? "" : ",";
      for (const std::string& text : {row, "\"7\"" + row.substr(1)}) {
        REQUIRE(reader.open(text).has_value());
        CHECK_FALSE(reader.head().label);
        Values values(3);
        REQUIRE(reader.reveal(std::vector<Attribute>{0, 1, 2}, values).has_value());
        std::vector<Entry> entries;
        REQUIRE(reader.reveal_all(entries).has_value());
        REQUIRE(entries.size() == 3);
        for (std::size_t a = 0; a < 3; ++a) {
          CHECK((values[a] == expected[a] || (std::isnan(values[a]) && std::isnan(expected[a]))));
          CHECK(entries[a].attribute == a);
          CHECK(
              (entries[a].value == expected[a] || (std::isnan(entries[a].value) && std::isnan(expected[a]))));
        }
      }
      if (label.empty()) continue;
      CHECK(open_error(reader, row + "5")
                .ends_with("--missing-columns allow learns from such rows as from "
                           "those where they are missing"));
      CHECK(reader.open(row).has_value());
      names.set_open(false);  // of a body of questions labels count for nothing
      CHECK(reader.open(row + "5").has_value());
      names.set_open(true);
      options.learns_partial = true;
      CsvReader learning(options, names);
      CHECK(holds_nothing(learning, header + label));
      REQUIRE(learning.open(row + "5").has_value());
      CHECK(learning.head().label == 5.0);
    }
}

TEST_CASE("csv: the message about columns that a table lacks names them") {
  AttributeNames names(12);
  std::vector<std::string> all;
  for (int i = 0; i < 12; ++i) all.push_back(fmt::format("x{}", i));
  REQUIRE(names.fix(all).has_value());
  TableOptions options = csv_table(0, ',');
  options.label = parse_column("y");
  CsvReader reader(options, names);
  CHECK(holds_nothing(reader, "y,x1,x11"));
  CHECK(
      open_error(reader, "1,2,3") ==
      "the row has a label, and its table lacks 'x0', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7', 'x8' and 2 more of "
      "the model: --missing-columns allow learns from such rows as from those where they are missing");
}

TEST_CASE(
    "csv: a header that lacks attributes and has a column that is none may be misspelled, and is refused") {
  AttributeNames names(3);
  REQUIRE(names.fix({"age", "bp", "sex"}).has_value());
  TableOptions options = csv_table(0, ',');
  options.label = parse_column("y");
  for (const char* header : {"age,sex,bpp", "bpp,age,sex,y", "y,age,sexx,bp"}) {
    CsvReader reader(options, names);
    REQUIRE(reader.open(header).has_error());
    CHECK(open_error(reader, "1,2,3").find("did you mean") != std::string::npos);
  }
  CsvReader none(options, names);
  CHECK(open_error(none, "height,y").starts_with("row has 2 fields"));
}

TEST_CASE("csv: a header finds the attributes by their names, in any order") {
  AttributeNames names(3);
  REQUIRE(names.fix({"a", "b", "c"}).has_value());
  CsvReader reader(csv_table(0, ','), names);
  CHECK(holds_nothing(reader, "label,c,a,b"));
  CHECK(reveal(reader, "9,1,2,3", {0, 1, 2}) == Values{2, 3, 1});
  CHECK(reveal(reader, "9,\"1\",2,3", {0, 2}) == Values{2, 1});
  CHECK(reveal_all(reader, "9,1,2,3") == Entries{{0, 2}, {1, 3}, {2, 1}});
  CHECK(reader.head().label == 9.0);
  CHECK(reveal(reader, ",1,2,3", {0, 1, 2}) == Values{2, 3, 1});
  CHECK_FALSE(reader.head().label);

  TableOptions options = csv_table(0, ',');
  options.label = parse_column("y");
  CsvReader other(options, names);
  CHECK(holds_nothing(other, "b,a,y,c"));
  CHECK(reveal(other, "1,2,9,3", {0, 1, 2}) == Values{2, 1, 3});
  CHECK(other.head().label == 9.0);
}

TEST_CASE("csv: the label and what is ignored are chosen by name, by number, or as the last") {
  TableOptions options;
  options.label = parse_column("y");
  options.ignored = {parse_column("id"), parse_column("#2")};
  AttributeNames names(0);
  TableLayout known;
  CsvReader reader(options, names, &known);
  CHECK(holds_nothing(reader, "id,date,a,y,b"));
  CHECK(names.dimension() == 2);
  CHECK(reveal(reader, "7,8,1,9,2", {0, 1}) == Values{1, 2});
  CHECK(names.name(1) == "b");
  CHECK(reader.head().label == 9.0);
  CHECK(reveal_all(reader, "7,8,1,9,2") == Entries{{0, 1}, {1, 2}});
  CHECK(reveal(reader, "7,8,1,,2", {0, 1}) == Values{1, 2});
  CHECK_FALSE(reader.head().label);
  CHECK(reveal_all(reader, "7,8,1,,2") == Entries{{0, 1}, {1, 2}});

  // Rows without a header are as those of the table before.
  CsvReader bare(options, names, &known);
  CHECK(reveal(bare, "7,8,1,9,2", {0, 1}) == Values{1, 2});
  CHECK(bare.head().label == 9.0);

  options.label = parse_column("last");
  options.ignored.clear();
  AttributeNames numbered(0);
  CsvReader last(options, numbered);
  CHECK(reveal(last, "1,2,3", {0, 1}) == Values{1, 2});
  CHECK(last.head().label == 3.0);
  CHECK(numbered.dimension() == 2);
}

TEST_CASE("csv: a weight is the importance of rows with a label, and no attribute") {
  TableOptions options;
  options.label = parse_column("y");
  options.weight = parse_column("#2");
  options.ignored = {parse_column("id")};
  AttributeNames names(0);
  TableLayout known;
  CsvReader reader(options, names, &known);
  CHECK(holds_nothing(reader, "id,w,a,y,b"));
  CHECK(names.dimension() == 2);
  CHECK(reveal(reader, "7,0.5,1,9,2", {0, 1}) == Values{1, 2});
  CHECK(reader.head().importance == 0.5);
  CHECK(reveal_all(reader, "7,0,1,9,2") == Entries{{0, 1}, {1, 2}});
  CHECK(reader.head().importance == 0);
  for (const char* const question : {"7,,1,,2", "7,x,1,,2", "7,-1,1,NA,2"}) {
    CHECK(reveal(reader, question, {0, 1}) == Values{1, 2});
    CHECK(reader.head().importance == 1);
  }
  for (const char* const weight : {"", "NA", "-1", "nan", "inf", "x", "1e999"})
    CHECK(open_error(reader, fmt::format("7,{},1,9,2", weight))
              .starts_with("column #2 ('w'): the weight of a row with a label must be a finite number of at "
                           "least 0, and it is "));
  // After a restart, in another order and without it.
  State state;
  state.begin();
  known.save(state);
  state.finish();
  TableLayout restored = *TableLayout::restore(state, 2);
  CHECK(restored.weight() == std::size_t{1});
  CHECK(restored.chosen_names() == std::vector<std::string>{"y", "id", "w"});
  CsvReader other(options, names, &restored);
  CHECK(holds_nothing(other, "b,a,y,w"));
  CHECK(reveal(other, "2,1,9,3", {0, 1}) == Values{1, 2});
  CHECK(other.head().importance == 3);
  CsvReader questions(options, names, &restored);
  CHECK(holds_nothing(questions, "b,a"));
  CHECK(reveal(questions, "2,1", {0, 1}) == Values{1, 2});
  CsvReader lacks(options, names, &restored);
  CHECK(open_error(lacks, "b,a,y").starts_with("--weight w: the header has no such column"));
  options.label = parse_column("#1");
  options.ignored.clear();
  AttributeNames numbered(0);
  CsvReader bare(options, numbered);
  CHECK(reveal(bare, "9,4,1,2", {0, 1}) == Values{1, 2});
  CHECK(bare.head().importance == 4);
  options.weight = parse_column("#1");
  CsvReader twice(options, numbered);
  CHECK(open_error(twice, "9,4,1,2") == "--weight=#1: is a label, an attribute or in --ignore as well");
}

TEST_CASE("csv: digits alone are a column's name, and say else that columns count from 1") {
  const auto refused = [](const std::string& option, const std::string& row) {
    TableOptions options;
    if (option == "weight") options.weight = parse_column("1");
    (option == "label" ? options.label : options.ignored.emplace_back()) = parse_column("1");
    if (option == "weight") options.ignored.clear();
    AttributeNames names(0);
    CsvReader reader(options, names);
    return open_error(reader, row);
  };
  for (const std::string option : {"label", "ignore", "weight"}) {
    CHECK(refused(option, "day,rides,hour") ==
          fmt::format("--{} 1: columns count from 1 now: #2 is 'rides'", option));
    CHECK(refused(option, "4,5,6") ==
          fmt::format("--{0} 1: columns count from 1 now: give #2, as --{0}=#2", option));
  }
  TableOptions options;
  options.label = parse_column("2011");
  options.ignored = {parse_column("#2")};
  AttributeNames names(0);
  CsvReader reader(options, names);
  CHECK(holds_nothing(reader, "country,2010,#2,2011"));
  CHECK(reveal_all(reader, "1,2,3,4") == Entries{{0, 1}, {1, 2}});
  CHECK(reader.head().label == 4.0);
}

TEST_CASE("csv: a column that the header lacks is said with the nearest name") {
  for (const bool is_label : {true, false}) {
    TableOptions options;
    (is_label ? options.label : options.ignored.emplace_back()) = parse_column("Count");
    AttributeNames names(0);
    CsvReader reader(options, names);
    CHECK(open_error(reader, "temp,hum,cnt,count") ==
          fmt::format("--{} Count: the header has no such column; did you mean 'count'?",
                      is_label ? "label" : "ignore"));
    CHECK(names.dimension() == 0);
  }
}

TEST_CASE("csv: a name of the label without a header says what to do") {
  TableOptions options;
  options.label = parse_column("y");
  AttributeNames names(0);
  CsvReader reader(options, names);
  CHECK(open_error(reader, "1,2,3").starts_with("--label y: the table has no header that says which column"));
}

TEST_CASE("csv: the delimiter is the one that the first row shows") {
  struct Case {
    const char* row;
    std::size_t dimension;
  };
  for (const Case& c : {Case{"1,2,3", 2},
                        {"1;2;3", 2},
                        {"1\t2\t3", 2},
                        {"1 2 3", 2},
                        {"1,5;2,5;3", 2},
                        {"\"1\";\"2\";3", 2}}) {
    CAPTURE(c.row);
    TableOptions options = csv_table(0, 0);
    options.decimal_comma = std::string_view(c.row).find(';') != std::string_view::npos;
    AttributeNames names(0);
    CsvReader reader(options, names);
    CHECK(reader.line_length(c.row) == std::string_view(c.row).size());
    CHECK(reader.open(c.row).has_value());
    CHECK(names.dimension() == c.dimension);
    CHECK(reveal(reader, c.row, {1}) == Values{3});
  }
}

TEST_CASE("csv: with a decimal comma a point is no part of a number") {
  TableOptions options = csv_table(0, ';');
  options.decimal_comma = true;
  AttributeNames names(3);
  CsvReader reader(options, names);
  CHECK(reveal(reader, "9,5;1,25;-0,5e1;3", {0, 1, 2}) == Values{1.25, -5, 3});
  CHECK(reader.head().label == 9.5);
  CHECK(reveal_all(reader, "9,5;1,25;-0,5e1;\"3,5\"") == Entries{{0, 1.25}, {1, -5}, {2, 3.5}});
  CHECK(reveal_error(reader, "1;1.5;2;3", {0}) ==
        "value '1.5' in column #2 is not a finite number: with --decimal-comma a comma is decimal, and no "
        "point");
  CHECK(reveal_error(reader, "1;1.000,5;2;3", {0}) ==
        "value '1.000,5' in column #2 is not a finite number: write thousands without '.'");
}

TEST_CASE("csv: --header yes takes numbers for names, and --header no takes words for values") {
  TableOptions options = csv_table(0, ',');
  options.header = HeaderChoice::kYes;
  AttributeNames names(0);
  CsvReader reader(options, names);
  CHECK(holds_nothing(reader, "y,0,1"));
  CHECK(reader.has_header());
  CHECK(names.dimension() == 2);
  options.header = HeaderChoice::kNo;
  AttributeNames other(2);
  CsvReader plain(options, other);
  CHECK(reveal(plain, "1,x,3", {0, 1}) == Values{0, 3});
}

TEST_CASE("csv: where the dimension is given a row with a point, a sign or an exponent is no header") {
  for (const char* row : {"1.5,2,x", "-1,2,x", "1,2e3,x"}) {
    AttributeNames names(2);
    CsvReader reader(csv_table(0, ','), names);
    CHECK(reader.open(row).has_value());
    CHECK_FALSE(reader.has_header());
  }
  AttributeNames names(2);
  CsvReader reader(csv_table(0, ','), names);
  CHECK(holds_nothing(reader, "cnt,2010,2011"));
  CHECK(reader.has_header());
}

TEST_CASE("csv: a row that another delimiter would divide says so") {
  AttributeNames names(2);
  CsvReader reader(csv_table(0, ','), names);
  CHECK(open_error(reader, "1;2;3").ends_with(": its fields seem to be divided by ';': --delimiter ';'"));
  CHECK(open_error(reader, "1\t2\t3").ends_with(": its fields seem to be divided by tab: --delimiter tab"));
}

TEST_CASE("csv: quoted fields may hold numbers") {
  AttributeNames names(3);
  CsvReader reader(csv_table(0, ','), names);
  CHECK(reveal(reader, "\"9\",\"1.5\", \" 2 \" ,3", {0, 1, 2}) == Values{1.5, 2, 3});
  CHECK(reader.head().label == 9.0);
  CHECK(reveal_error(reader, "1,\"1,5\",2,3", {0}) ==
        "value '1,5' in column #2 is not a finite number: --decimal-comma where the comma is decimal");
}

TEST_CASE("csv: tabs and blanks can divide fields") {
  AttributeNames names(2);
  CsvReader tabs(csv_table(0, '\t'), names);
  CHECK(reveal(tabs, "1\t 2 \t3", {0, 1}) == Values{2, 3});
  CHECK(same(reveal(tabs, "\t\t3", {0})[0], kMissing));
  CHECK_FALSE(tabs.head().label);
  CsvReader blanks(csv_table(0, ' '), names);
  CHECK(reveal(blanks, "1 2 3", {0, 1}) == Values{2, 3});
}

TEST_CASE("csv: blank lines and comments hold no example") {
  AttributeNames names(1);
  CsvReader reader(csv_table(0, ','), names);
  for (const std::string_view record : {"", "  ", "# a,b"}) CHECK(holds_nothing(reader, record));
  CHECK(reveal(reader, "5", {0}) == Values{5});
  CHECK(names.empty());
}

TEST_CASE("csv: a label column beyond the attributes refuses rows and does not crash") {
  AttributeNames names(2);
  CsvReader reader(csv_table(7, ','), names);
  CHECK(open_error(reader, "1,2,3") == "--label=#8: a row has 3 columns, which count from 1");
}

TEST_CASE("csv: labelled rows say all attributes by number, unless a header named them") {
  AttributeNames names(2);
  {
    CsvReader reader(csv_table(0, ','), names);
    CHECK(reveal(reader, "1,2", {0}) == std::vector<double>{1});  // asks for a prediction
    CHECK(reveal_error(reader, "1,inf,3", {0}).starts_with("value 'inf'"));
    CHECK(*names.find_or_add("a") == 0);
    CHECK(reveal_error(reader, "1,2,3", {0}).starts_with("attribute 0 is what this model calls 'a'"));
    CHECK(reveal_error(reader, "1,\"2\",3", {0}).starts_with("attribute 0 is what this model calls 'a'"));
    CHECK(reveal_all_error(reader, "1,2,3").starts_with("attribute 0 is what this model calls 'a'"));
    CHECK(reveal(reader, "2,3", {0}) == std::vector<double>{2});
  }
  CsvReader reader(csv_table(0, ','), names);
  CHECK(holds_nothing(reader, "label,a,b"));
  CHECK(reveal(reader, "1,2,3", {0, 1}) == std::vector<double>{2, 3});
  CHECK(names.find("b") == Attribute{1});

  AttributeNames none(2);
  CsvReader plain(csv_table(0, ','), none);
  CHECK(reveal(plain, "1,2,3", {0}) == std::vector<double>{2});
  CHECK_FALSE(none.find_or_add("a").has_value());
}

TEST_CASE("csv: a row of far too many fields is not divided") {
  AttributeNames names(2);
  CsvReader reader(csv_table(0, ','), names);
  const std::string many(5000, ',');
  CHECK(open_error(reader, many) ==
        "row has 5001 fields, which with their label are of dimension 5000; a model of dimension 2 needs 3 "
        "(label and attributes) or 2 (attributes alone, "
        "to get a "
        "prediction)");
  CHECK(open_error(reader, "\"a\"" + many) == "the row has more than 1003 fields");
}

TableOptions labelled(const char* label) {
  TableOptions options;
  options.label = parse_column(label);
  return options;
}

TEST_CASE("csv: below a header a row that lacks a field is refused, wherever it stands") {
  for (const char* const label : {"y", "#1", "last"}) {
    CAPTURE(label);
    AttributeNames names(0);
    CsvReader reader(labelled(label), names);
    CHECK(holds_nothing(reader, "y,a,b"));
    const std::string hint =
        "row has 2 fields, and the header 3; a question has an empty label: --short-rows missing takes "
        "fields "
        "that lack at the end for missing values";
    CHECK(open_error(reader, "1,2") == hint);  // the first row
    CHECK(reveal(reader, "1,2,3", {1}).size() == 1);
    CHECK(open_error(reader, "1,2") == hint);
    CHECK(open_error(reader, "\"1\",2") == hint);
    CHECK(open_error(reader, "1") ==
          "row has 1 field, and the header 3: --short-rows missing takes fields that lack at the end for "
          "missing "
          "values");
    CHECK(open_error(reader, "1,2,3,4")
              .starts_with("row has 4 fields; a model of dimension 2 needs 3 (label and attributes; an empty "
                           "label gets a prediction)"));
    CHECK(reader.has_header());
  }
}

TEST_CASE("csv: below a header a row with an empty label is a question, wherever the label stands") {
  for (const auto& [label, row] : {std::pair("#1", ",1,2"), {"#2", "1,,2"}, {"#3", "1,2,"}}) {
    CAPTURE(label);
    AttributeNames names(2);
    CsvReader reader(labelled(label), names);
    CHECK(holds_nothing(reader, "u,v,w"));
    CHECK(reveal(reader, "7,7,7", {0, 1}) == Values{7, 7});
    CHECK(reader.head().label == 7.0);
    CHECK(reveal(reader, row, {0, 1}) == Values{1, 2});
    CHECK_FALSE(reader.head().label);
    CHECK(reveal_all(reader, row) == Entries{{0, 1}, {1, 2}});
  }
}

TEST_CASE("csv: below a header without the label rows leave it out, and no header of theirs is an example") {
  AttributeNames names(3);
  REQUIRE(names.fix({"a", "b", "c"}).has_value());
  for (const Attribute i : {0U, 1U, 2U}) names.categories().declare_number(i);
  for (const bool pads : {false, true}) {
    TableOptions options = csv_table(0, ',');
    options.reads_short_rows = pads;
    CsvReader reader(options, names);
    CHECK(holds_nothing(reader, "c,a,b"));
    CHECK(reveal(reader, "3,1,2", {0, 1, 2}) == Values{1, 2, 3});
    CHECK_FALSE(reader.head().label);
    CHECK(holds_nothing(reader, "c,a,b"));
    CHECK(holds_nothing(reader, "b,c,a"));
    CHECK(reveal(reader, "2,3,1", {0, 1, 2}) == Values{1, 2, 3});
    if (pads) {
      CHECK(reveal(reader, "2,3", {1, 2}) == Values{2, 3});
      CHECK_FALSE(reader.head().label);
      CHECK(same(reveal(reader, "2,3", {0})[0], kMissing));
    } else {
      CHECK(
          open_error(reader, "2,3").starts_with("row has 2 fields, and the header 3: --short-rows missing"));
    }
  }
}

TEST_CASE("csv: fields that a row lacks at its end are missing where short rows are read") {
  TableOptions options = csv_table(0, ',');
  options.reads_short_rows = true;
  AttributeNames names(3);
  CsvReader reader(options, names);
  CHECK(holds_nothing(reader, "y,a,b,c"));
  for (const char* const row : {"9,1,2", "9,1,2\r", "9,\"1\",2", "9,1,2,"}) {
    CAPTURE(row);
    CHECK(reveal_all(reader, row) == Entries{{0, 1}, {1, 2}, {2, kMissing}});
    CHECK(reader.head().label == 9.0);
    CHECK(same(reveal(reader, row, {0, 2})[1], kMissing));
    CHECK(reveal(reader, row, {0, 1}) == Values{1, 2});
  }
  CHECK(reveal_all(reader, "9") == Entries{{0, kMissing}, {1, kMissing}, {2, kMissing}});
  CHECK(reader.head().label == 9.0);
  CHECK(reader.head().is_filled);
  CHECK(reveal_all(reader, "9,1,2,3") == Entries{{0, 1}, {1, 2}, {2, 3}});
  CHECK_FALSE(reader.head().is_filled);
  CHECK(open_error(reader, "9,1,2,3,4").starts_with("row has 5 fields"));
  CHECK(reveal(reader, ",1", {0}) == Values{1});
  CHECK_FALSE(reader.head().label);

  // The label at the end is what lacks: no question.
  TableOptions last = options;
  last.label = parse_column("last");
  AttributeNames others(2);
  CsvReader questions(last, others);
  CHECK(holds_nothing(questions, "a,b,y"));
  CHECK(open_error(questions, "1,2").starts_with("row has 2 fields, and the header 3"));
  CHECK(reveal(questions, "1,2,3", {0, 1}) == Values{1, 2});
  CHECK(questions.head().label == 3.0);

  // Without a header a row of one field less has no label, as ever.
  AttributeNames numbered(3);
  CsvReader bare(options, numbered);
  CHECK(reveal(bare, "9,1,2,3", {0, 1, 2}) == Values{1, 2, 3});
  CHECK(reveal(bare, "1,2,3", {0, 1, 2}) == Values{1, 2, 3});
  CHECK_FALSE(bare.head().label);
  CHECK(reveal(bare, "9,1", {0}) == Values{1});
  CHECK(bare.head().label == 9.0);
}

TEST_CASE("csv: rows of delimiters alone hold no example, wherever they stand") {
  for (const char delimiter : {',', ';', '\t', ' '}) {
    CAPTURE(delimiter);
    const auto row = [delimiter](std::string text) {
      std::ranges::replace(text, ',', delimiter);
      return text;
    };
    for (const std::size_t dimension : {0, 3}) {
      AttributeNames names(dimension);
      CsvReader reader(csv_table(0, delimiter), names);
      for (const char* const blank : {",,,", " , ,,\r", ",", ",,,,"})
        CHECK(holds_nothing(reader, row(blank)));
      CHECK(holds_nothing(reader, row("y,a,b,c")));
      CHECK(holds_nothing(reader, row(",,,")));
      CHECK(reveal(reader, row("9,1,2,3"), {0, 2}) == Values{1, 3});
      for (const char* const blank : {",,,", ",,,\r", ",", ",,", ",,,,"})
        CHECK(holds_nothing(reader, row(blank)));
      CHECK(names.dimension() == 3);
      CHECK(reveal(reader, row("9,4,5,6"), {0, 2}) == Values{4, 6});
    }
  }
  AttributeNames names(0);
  CsvReader shown(csv_table(0, 0), names);  // the delimiter is not known yet
  CHECK(holds_nothing(shown, ";;"));
  CHECK(reveal(shown, "1;2;3", {0, 1}) == Values{2, 3});
}

TEST_CASE(
    "csv: a row of more delimiters than a row has is refused with its width, before and behind the first") {
  AttributeNames names(2);
  CsvReader reader(csv_table(0, ','), names);
  const auto refused = [&](const std::string& row, std::size_t width) {
    CHECK(open_error(reader, row).starts_with(fmt::format("row has {} fields", width)));
  };
  refused(",,,,", 5);
  refused(std::string(5000, ','), 5001);
  CHECK(holds_nothing(reader, ",,,"));  // ends with a delimiter
  CHECK(holds_nothing(reader, "y,a,b"));
  refused(",,,,", 5);
  CHECK(reveal(reader, "1,2,3", {0, 1}) == Values{2, 3});
  refused(",,,,", 5);
  refused(std::string(5000, ','), 5001);
  CHECK(holds_nothing(reader, ",,"));
}

TEST_CASE("csv: a mark for a missing value that begins with # makes no comment") {
  for (const char* const mark : {"#N/A", "#NA"}) {
    AttributeNames names(2);
    names.categories().declare_number(0);
    CsvReader reader(csv_table(1, ','), names);
    CHECK(holds_nothing(reader, "a,y,b"));
    for (const char* const rest : {",9,2", " ,9,2\r"}) {
      CHECK(same(reveal(reader, mark + std::string(rest), {0})[0], kMissing));
      CHECK(reader.head().label == 9.0);
    }
    CHECK(reveal(reader, "1,9,2", {0}) == Values{1});
    for (const char* const comment :
         {"#NAME,9,2", "#NAs stand for nothing", "#N/A: not there,9,2", "# #N/A,9,2"})
      CHECK(holds_nothing(reader, comment));
  }
}

TEST_CASE("csv: rows that begin with # are examples where the table has no comments") {
  TableOptions options = csv_table(2, ',');
  options.has_comments = false;
  AttributeNames names(2);
  CsvReader reader(options, names);
  CHECK(holds_nothing(reader, "tag,a,y"));
  CHECK(reveal(reader, "#1,2,9", {0, 1}) == Values{0, 2});
  CHECK(reveal(reader, "#2,3,9", {0, 1}) == Values{1, 3});
  CHECK(names.categories().word(0, 1) == "#2");
  CHECK(holds_nothing(reader, ",,"));
}

TEST_CASE("csv: the header again is a header, and its order holds from there on") {
  AttributeNames names(3);
  for (const Attribute i : {0U, 1U, 2U}) names.categories().declare_number(i);
  TableLayout known;
  CsvReader reader(csv_table(0, ','), names, &known);
  CHECK(holds_nothing(reader, "y,a,b,c"));
  CHECK(reveal(reader, "9,1,2,3", {0, 1, 2}) == Values{1, 2, 3});
  CHECK(holds_nothing(reader, "y,a,b,c"));
  CHECK(reveal(reader, "9,1,2,3", {0, 1, 2}) == Values{1, 2, 3});
  names.keep();
  CHECK(holds_nothing(reader, " c ,\"b\",a,y\r"));
  AttributeNames twin_names = names.twin();
  CHECK(reveal_all(reader, "3,2,1,9") == Entries{{0, 1}, {1, 2}, {2, 3}});
  CHECK(reader.head().label == 9.0);
  CHECK(holds_nothing(reader, "y,a,b,c"));
  CHECK(reveal(reader, "9,1,2,3", {0, 1, 2}) == Values{1, 2, 3});
  CHECK(reader.head().label == 9.0);
  // A twin knows the header too, and leaves it to the reader, as its records may come in another order.
  const auto twin = reader.twin(twin_names);
  REQUIRE(twin != nullptr);
  for (const char* const again : {"y,a,b,c", "c,b,a,y"}) CHECK(holds_nothing(*twin, again));
  CHECK(open_error(*twin, "1,2,3").starts_with("row has 3 fields, and the header 4"));
  CHECK(reveal(*twin, "9,1,2,3", {0, 1, 2}) == Values{1, 2, 3});
}

TEST_CASE("csv: a mark for a missing number, and a truth value, make no header of a row") {
  for (const char* const word : {"None", "nan", "\\N", "--", "true"})
    for (std::size_t place = 0; place < 3; ++place) {
      CAPTURE(word);
      AttributeNames names(3);
      for (const Attribute i : {0U, 1U, 2U}) names.categories().declare_number(i);
      CsvReader reader(csv_table(0, ','), names);
      const std::string row = fmt::format("9,{},{},{}", place == 0 ? word : "1", place == 1 ? word : "2",
                                          place == 2 ? word : "3");
      CHECK(reveal(reader, row, {0, 1, 2}).size() == 3);
      CHECK_FALSE(reader.has_header());
      CHECK(names.categories().empty());
    }
}

TEST_CASE(
    "csv: a row whose words are the header's in another order is a row, unless a column holds numbers") {
  for (const bool has_numbers : {false, true}) {
    AttributeNames names(2);
    names.categories().declare_label();
    if (has_numbers) names.categories().declare_number(1);
    TableOptions options;
    options.label = parse_column("red");
    CsvReader reader(options, names);
    CHECK(holds_nothing(reader, "red,green,blue"));
    CHECK(reveal(reader, has_numbers ? "red,red,1" : "red,red,green", {0}).size() == 1);
    CHECK(holds_nothing(reader, "red,green,blue"));
    require_open(reader, "blue,red,green");
    CHECK(reader.has_example() != has_numbers);
    CHECK(reader.layout().label() == (has_numbers ? 1 : 0));
  }
}

TEST_CASE("csv: classes that are the numbers of a header in another order are a row") {
  AttributeNames names(2);
  names.categories().declare_label();
  TableOptions options = csv_table(0, ',');
  options.header = HeaderChoice::kYes;
  CsvReader reader(options, names);
  CHECK(holds_nothing(reader, "0,1,2"));
  CHECK(reveal(reader, "2,0,1", {0, 1}) == Values{0, 1});
  CHECK(reveal(reader, "1,5,6", {0, 1}) == Values{5, 6});
}

TEST_CASE("csv: a line end in a name is a blank") {
  for (const char* const header : {"y,a,\"net\nweight\"", "y,a,\"net\r\nweight\"", "\"net\nweight\",a,y"}) {
    AttributeNames names(2);
    TableOptions options;
    options.label = parse_column("y");
    CsvReader reader(options, names);
    CHECK(holds_nothing(reader, header));
    require_open(reader, "1,2,3");
    CHECK(names.find("net weight").has_value());
    CHECK(holds_nothing(reader, header));
  }
}

TEST_CASE("csv: quotes that are not as in RFC 4180 are text") {
  AttributeNames names(2);
  TableOptions options = csv_table(0, ',');
  CsvReader reader(options, names);
  const auto word = [&](std::string_view row, Attribute attribute) {
    return names.categories().word(attribute,
                                   static_cast<std::uint32_t>(reveal(reader, row, {attribute})[0]));
  };
  CHECK(reveal(reader, "1,2,3", {0}) == Values{2});
  CHECK(word("1,2,\"say \"hi\" now\"", 1) == "say \"hi\" now");
  CHECK(word("1,2,\"5 in", 1) == "\"5 in");
  CHECK(reveal(reader, "1,2,\"5 in", {0}) == Values{2});
}

TEST_CASE("csv: of a record over lines that come one by one no part is an example") {
  for (const bool is_known : {false, true}) {
    AttributeNames names(2);
    TableOptions options = csv_table(0, ',');
    options.are_lines = true;
    options.header = HeaderChoice::kNo;
    std::unique_ptr<ExampleReader> reader = std::make_unique<CsvReader>(options, names);
    TableForm form;
    form.dialect.width = 3;
    form.columns.resize(3);
    form.columns[1].unit = "kg";
    if (is_known) reader = std::make_unique<DialectReader>(std::make_shared<TableForm>(form), options, names);
    CHECK(reveal(*reader, "1,2,a", {0}) == Values{2});
    for (const char* const last : {"7,8,third\"", "third\"\"\""}) {
      CHECK(open_error(*reader, "1,2,\"first")
                .starts_with("the quote of column #3 does not end in the line: "));
      CHECK(open_error(*reader, "7,8,9")
                .starts_with("a part of the record whose quote of column #3 opens a line before: "));
      CHECK(open_error(*reader, "#")
                .starts_with("a part of the record whose quote of column #3 opens 2 lines before: "));
      CHECK(reader->is_amid_record());
      CHECK(open_error(*reader, last)
                .starts_with("a part of the record whose quote of column #3 opens 3 lines before: "));
      CHECK_FALSE(reader->is_amid_record());
      CHECK(reveal(*reader, "1,2,\"a\"", {0}) == Values{2});
    }
    // One record ends, and another begins.
    CHECK(open_error(*reader, "1,2,\"first").starts_with("the quote"));
    CHECK(open_error(*reader, "\",\"4").starts_with("a part of "));
    CHECK(reader->is_amid_record());
    for (int i = 0; i < 1024; ++i) CHECK(reader->open(std::string(1023, '3')).has_error());
    CHECK(reveal(*reader, "1,2,a", {0}) == Values{2});  // it is given up
  }
}

}  // namespace csv_reader_test
