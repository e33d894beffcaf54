#include <doctest/doctest.h>

#include "data/formats/csv_cells.h"

namespace csv_fields_test {

using namespace glimpse;

namespace {

using Fields = std::vector<std::string_view>;

}  // namespace

TEST_CASE("fields are divided at delimiters and lose the blanks around them") {
  CsvFields csv;
  REQUIRE(csv.split(" a ,b c,, d\r", ',').has_value());
  CHECK(csv.fields() == Fields{"a", "b c", "", "d"});
  REQUIRE(csv.split("a,b,", ',').has_value());
  CHECK(csv.fields() == Fields{"a", "b", ""});
  REQUIRE(csv.split("", ',').has_value());
  CHECK(csv.fields() == Fields{""});
  REQUIRE(csv.split("a\t\tb", '\t').has_value());
  CHECK(csv.fields() == Fields{"a", "", "b"});
  REQUIRE(csv.split("a  b", ' ').has_value());
  CHECK(csv.fields() == Fields{"a", "", "b"});
}

TEST_CASE("quotes protect delimiters, blanks and doubled quotes") {
  CsvFields csv;
  REQUIRE(csv.split(R"("a,b", " c " ,"say ""hi""","""","",d"e)", ',').has_value());
  CHECK(csv.fields() == Fields{"a,b", " c ", "say \"hi\"", "\"", "", "d\"e"});
  REQUIRE(csv.split(R"("a")", ',').has_value());
  CHECK(csv.fields() == Fields{"a"});
  REQUIRE(csv.split(R"("a",)", ',').has_value());
  CHECK(csv.fields() == Fields{"a", ""});
}

TEST_CASE("a quote that does not end or is followed by text is an error that names the field") {
  CsvFields csv;
  CHECK(csv.split(R"(a,"b)", ',').error().message == "the quote of column #2 does not end");
  CHECK(csv.split(R"(a,"b"")", ',').error().message == "the quote of column #2 does not end");
  CHECK(csv.split(R"(a,")", ',').error().message == "the quote of column #2 does not end");
  CHECK(csv.split(R"("a"b,c)", ',').error().message == "column #1 has text behind its quotes: 'b,c'");
}

}  // namespace csv_fields_test
