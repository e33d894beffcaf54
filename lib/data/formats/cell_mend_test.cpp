#include <doctest/doctest.h>

#include "data/formats/csv_cells.h"

namespace cell_mend_test {

using namespace glimpse;

TEST_CASE("what is no number is told with the mend") {
  const auto mends = [](const char* field, const char* mend, bool decimal_comma = false) {
    CAPTURE(std::string(field));
    CHECK(cell_mend(field, decimal_comma).find(mend) != std::string::npos);
  };
  mends("1,5", ": --decimal-comma where");
  mends("-0,25", ": --decimal-comma where");
  mends("1,500", "thousands without ',', or give --decimal-comma");
  mends("1,234,567.89", "thousands without ','");
  mends("1 234", "thousands without ' '");
  mends("1'234'567", "thousands without '''");
  mends("1_000", "thousands without '_'");
  mends("1.234.567", "thousands without '.'");
  mends("1.234,5", "thousands without '.', and give --decimal-comma");
  mends("1 234,5", "thousands without ' ', and give --decimal-comma");
  mends("1\u00a0234", "thousands without no-break and thin blanks");
  mends("1\u2019234", "thousands without apostrophes");
  mends("\u22125", "write '-' for the minus sign");
  mends("(1,234)", "write '-' for the parentheses");
  mends("0x1f", "base 10");
  mends("'5'", "without quotes");
  mends("=\"5\"", "without =\"\"");
  mends("#DIV/0!", "write NA");
  mends("2026-11-24", "a date or a time");
  mends("24.12.2026", "a date or a time");
  mends("7/4/26", "a date or a time");
  mends("2026-11-24T12:30:00Z", "a date or a time");
  mends("12:30", "a date or a time");
  mends("1:1", "--format svmlight");
  mends("7:0.5", "--format svmlight");
  mends("$3.50", "without '$'");
  mends("12 %", "without '%'");
  mends("12kg", "without 'kg'");
  mends("nan", "write NA");
  mends("3.5", "with --decimal-comma a comma is decimal", true);
  mends("1,234,567", "thousands without ','", true);
  mends("1.234,5", "thousands without '.'", true);
  CHECK(cell_mend("1.234,5", true) == ": write thousands without '.'");
}

TEST_CASE("words have no mend of their own") {
  CHECK(cell_mend(std::string_view("5\0", 2), false).empty());
  for (const char* field : {"x", "yes", "M", "", "1-2", "1.2.3.4", "1,23,4", "a1", "12345-1-1", "-"})
    CHECK(cell_mend(field, false).empty());
}

}  // namespace cell_mend_test
