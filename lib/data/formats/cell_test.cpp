#include "data/formats/cell.h"

#include <doctest/doctest.h>
#include <string>

namespace cell_test {

using namespace glimpse;

CellType type_of(std::string_view text) { return classify_cell(text).type; }
bool reads(std::string_view text, NumberForm form) {
  return (classify_cell(text).forms >> static_cast<unsigned>(form) & 1U) != 0;
}

TEST_CASE("cells are numbers, missing, dates, times, truth values or words") {
  for (const char* text : {"1",     "-1.5",    "+2e3",    ".5",       "1,5",     "1,234", "1.234,5",
                           "1 234", "1'234.5", "$5",      "5 \u20ac", "12%",     "1.5kg", "12 km/h",
                           "(5)",   "($5)",    "\u22125", "\u00a05",  "1.5D+03", "USD 5", "-$5"})
    CHECK_MESSAGE(type_of(text) == CellType::kNumber, std::string(text));
  for (const char* text : {"NA", "N/A", "#N/A", "#NA", "nan", "NaN", "null", "NULL", "None", "NaT", "\\N",
                           "?", "-", "--", ".", "n.a."})
    CHECK_MESSAGE(type_of(text) == CellType::kMissing, std::string(text));
  for (const char* text :
       {"2026-11-24", "24.12.2026", "7/4/26", "20 Jan 2026", "Jan 20, 2026", "2026-01-02T03:04:05Z",
        "2026-01-02 03:04:05.250", "28/01/2018", "2024/1/2", "1-Feb-2020"})
    CHECK_MESSAGE(type_of(text) == CellType::kDate, std::string(text));
  for (const char* text : {"12:30", "1:30PM", "03:04:05.250", "03:04+01:00"})
    CHECK_MESSAGE(type_of(text) == CellType::kTime, std::string(text));
  for (const char* text : {"red", "MG-8769", "10.0.0.1", "1.2.3", "a1", "12 apples and more", "555-1234",
                           "1;2", "#5", "<5", "l2", "1,2,3", "2026-13x"})
    CHECK_MESSAGE(type_of(text) == CellType::kWord, std::string(text));
  CHECK(type_of("true") == CellType::kBool);
  CHECK(type_of("") == CellType::kEmpty);
  CHECK(type_of("inf") == CellType::kNotFinite);
}

TEST_CASE("a number has the forms by which it is one") {
  CHECK(reads("1,5", NumberForm::kDecimalComma));
  CHECK_FALSE(reads("1,5", NumberForm::kCommaGroups));
  CHECK(reads("1,234", NumberForm::kDecimalComma));
  CHECK(reads("1,234", NumberForm::kCommaGroups));
  CHECK(reads("1,234.5", NumberForm::kCommaGroups));
  CHECK_FALSE(reads("1,234.5", NumberForm::kDecimalComma));
  CHECK(reads("1.234,5", NumberForm::kPointGroups));
  CHECK(reads("1.234", NumberForm::kPlain));
  CHECK(reads("1.234", NumberForm::kPointGroups));
  CHECK_FALSE(reads("1.23", NumberForm::kPointGroups));
  CHECK(reads("1 234,5", NumberForm::kBlankGroupsDecimalComma));
  CHECK(reads("1\u00a0234", NumberForm::kBlankGroups));
  CHECK(reads("1'234", NumberForm::kApostropheGroups));
  CHECK(classify_cell("7").forms == kAllForms);
  CHECK(classify_cell("1e5").forms == 1);
}

TEST_CASE("what stands beside a number is known") {
  CHECK(classify_cell("$5").prefix == "$");
  CHECK(classify_cell("1.5 kg").suffix == "kg");
  CHECK(classify_cell("12%").suffix == "%");
  CHECK(classify_cell("(5)").is_parenthesised);
  CHECK(classify_cell("5").is_bare);
  CHECK_FALSE(classify_cell("5%").is_bare);
}

}  // namespace cell_test
