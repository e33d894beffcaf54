#include "data/formats/csv_reader.h"
#include "data/reader_test_support.h"

namespace csv_row_ends_test {

using namespace glimpse;

namespace {

using Values = std::vector<double>;
using Entries = std::vector<Entry>;

TableOptions label(const char* column, char delimiter = ',') {
  TableOptions options = csv_table(0, delimiter);
  options.label = parse_column(column);
  return options;
}

}  // namespace

TEST_CASE("csv: where the first row below the header ends with a delimiter, all may") {
  for (const char delimiter : {',', ';', '\t', ' '}) {
    CAPTURE(delimiter);
    const auto row = [delimiter](std::string text) {
      for (char& c : text)
        if (c == ',') c = delimiter;
      return text;
    };
    AttributeNames names(2);
    CsvReader reader(label("last", delimiter), names);
    require_open(reader, row("a,b,y"));
    CHECK_FALSE(reader.rows_end_with_delimiter());
    CHECK(reveal(reader, row("1,2,3,"), {0, 1}) == Values{1, 2});
    CHECK(reader.head().label == 3.0);
    CHECK(reader.rows_end_with_delimiter());
    CHECK(reveal_all(reader, row("1,\"2\",3,\r")) == Entries{{0, 1}, {1, 2}});
    CHECK(reveal_all(reader, row("1,2,3")) == Entries{{0, 1}, {1, 2}});
    CHECK(reader.head().label == 3.0);
    CHECK(reveal_all(reader, row("1,2,")) == Entries{{0, 1}, {1, 2}});
    CHECK_FALSE(reader.head().label);
    CHECK(
        open_error(reader, row("1,2,3,4")).starts_with("row has 4 fields; a model of dimension 2 needs 3 "));
  }
}

TEST_CASE("csv: only the first row tells that rows end with a delimiter") {
  AttributeNames names(2);
  CsvReader reader(label("#1"), names);
  require_open(reader, "y,a,b");
  CHECK(same(reveal(reader, "1,2,", {1})[0], kMissing));
  CHECK(reader.head().label == 1.0);
  CHECK(open_error(reader, "1,2,3,").starts_with("row has 4 fields; a model of dimension 2 needs 3 "));
  CHECK_FALSE(reader.rows_end_with_delimiter());
}

TEST_CASE("csv: a header may end with a delimiter, with its rows or alone") {
  for (const char* const chosen : {"last", "y", "#3"}) {
    for (const char* const end : {"", ","}) {
      CAPTURE(chosen);
      AttributeNames names(2);
      CsvReader reader(label(chosen), names);
      require_open(reader, "a,b,y,");
      CHECK(reveal(reader, "1,2,3" + std::string(end), {0, 1}) == Values{1, 2});
      CHECK(names.name(1) == "b");
      CHECK(reader.head().label == 3.0);
      CHECK(reader.rows_end_with_delimiter() == (*end != 0));
      // Another one, whose columns are found by their names.
      CsvReader other(label(chosen), names);
      require_open(other, "b,a,y,");
      CHECK(reveal(other, "2,1,3" + std::string(end), {0, 1}) == Values{1, 2});
    }
  }
}

TEST_CASE("csv: rows of a header that leaves the label out end as it does") {
  AttributeNames names(2);
  CsvReader reader(label("#1"), names);
  require_open(reader, "a,b,");
  CHECK(reveal_all(reader, "1,2,") == Entries{{0, 1}, {1, 2}});
  CHECK_FALSE(reader.head().label);
  CHECK(reveal_all(reader, "5,1,2,") == Entries{{0, 1}, {1, 2}});
  CHECK(reader.head().label == 5.0);
}

TEST_CASE("csv: a last column without a name is one where an option has its number") {
  for (const char* const ignored : {"#4", "last"}) {
    TableOptions options = label("y");
    options.ignored.push_back(parse_column(ignored));
    AttributeNames names(2);
    CsvReader reader(options, names);
    require_open(reader, "a,b,y,");
    CHECK(reveal(reader, "1,2,3,x", {0, 1}) == Values{1, 2});
  }
  AttributeNames names(2);
  CsvReader reader(label("#3"), names);
  require_open(reader, "a,b,");
  CHECK(reveal(reader, "1,2,3", {0, 1}) == Values{1, 2});
  CHECK(reader.head().label == 3.0);
}

TEST_CASE(
    "csv: rows without a header may end with a delimiter where it is known how many attributes there are") {
  AttributeNames names(2);
  CsvReader reader(label("last"), names);
  CHECK(reveal(reader, "1,2,3,", {0, 1}) == Values{1, 2});
  CHECK(reader.head().label == 3.0);
  CsvReader words(label("last"), names);
  CHECK(reveal(words, "1,2,3,", {0, 1}) == Values{1, 2});
  AttributeNames of_words(2);
  CsvReader first(label("last"), of_words);
  require_open(first, "a,b,y");
  CHECK(reveal(first, "M,2,3,", {0, 1}) == Values{0, 2});
  CsvReader second(label("last"), of_words);
  CHECK(reveal(second, "F,2,3,", {0, 1}) == Values{1, 2});
  CHECK_FALSE(second.has_header());
}

TEST_CASE("csv: rows with a field more than the header are told what R does") {
  AttributeNames names(2);
  CsvReader reader(label("last"), names);
  require_open(reader, "a,b,y");
  CHECK(open_error(reader, "\"1\",1,2,3")
            .ends_with("(label and attributes; an empty label gets a prediction): the header has a name "
                       "less, as R writes it, "
                       "whose write.table "
                       "names row names with col.names = NA"));
}

TEST_CASE("csv: rows of another width are told what their blanks and carriage returns do") {
  AttributeNames names(2);
  CsvReader blanks(label("last", ' '), names);
  CHECK(open_error(blanks, "1  2  3").ends_with("sed 's/  */ /g' FILE leaves one"));
  CsvReader returns(label("last"), names);
  CHECK(open_error(returns, "1,2,3\r4,5,6\r").ends_with("tr '\\r' '\\n' makes lines of it"));
}

TEST_CASE("csv: the first row of what goes on is not the beginning of a file") {
  TableOptions options = label("last");
  options.header = HeaderChoice::kNo;
  for (const bool goes_on : {false, true}) {
    options.goes_on = goes_on;
    AttributeNames names(2);
    CsvReader reader(options, names);
    require_open(reader,
                 "\xef\xbb\xbf"
                 "1,2,3");
    std::vector<double> values(1);
    const Status status = reader.reveal(std::vector<Attribute>{0}, values);
    CHECK((status.has_value() && values[0] == 1) == !goes_on);
    CsvReader foreign(options, names);
    CHECK(foreign.open("PAR1,2,3").has_value() == goes_on);
    CHECK(foreign.open("1,2,3").has_value() == goes_on);
  }
}

}  // namespace csv_row_ends_test
