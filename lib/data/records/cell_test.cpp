#include "data/records/cell.h"

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
  CHECK(type_of("12 Market 1987") == CellType::kWord);
  CHECK(type_of("12 m3") == CellType::kNumber);
  CHECK(type_of("12 sq ft") == CellType::kNumber);
  CHECK(classify_cell("$5").prefix == "$");
  CHECK(classify_cell("1.5 kg").suffix == "kg");
  CHECK(classify_cell("12%").suffix == "%");
  CHECK(classify_cell("(5)").is_parenthesised);
  CHECK(classify_cell("5").is_bare);
  CHECK_FALSE(classify_cell("5%").is_bare);
}

namespace {

double number(std::string_view text, const ColumnForm& form) {
  double value = 0;
  if (!read_in_form(text, form, value)) return -7777;
  return value;
}
constexpr double kNone = -7777;

double days(std::string_view text, bool is_day_first = false, bool is_year_first = false) {
  const bool is_time = type_of(text) == CellType::kTime;
  return number(text, {.type = is_time ? ColumnForm::Type::kTime : ColumnForm::Type::kDate,
                       .is_day_first = is_day_first,
                       .is_year_first = is_year_first});
}

}  // namespace

TEST_CASE("a number is read in the form of its column and no other") {
  struct {
    NumberForm form;
    std::string text;
    double value;
  } const cases[] = {{NumberForm::kPlain, "1234.5", 1234.5},
                     {NumberForm::kPlain, "\u2212.5e3", -500},
                     {NumberForm::kPlain, "1,234.5", kNone},
                     {NumberForm::kDecimalComma, "-1234,5", -1234.5},
                     {NumberForm::kDecimalComma, "1,234", 1.234},
                     {NumberForm::kDecimalComma, "1,5e3", 1500},
                     {NumberForm::kDecimalComma, "1e3", 1000},
                     {NumberForm::kDecimalComma, "1.5", kNone},
                     {NumberForm::kCommaGroups, "1,234", 1234},
                     {NumberForm::kCommaGroups, "-1,234,567.25", -1234567.25},
                     {NumberForm::kCommaGroups, "12.5", 12.5},
                     {NumberForm::kCommaGroups, "1,23", kNone},
                     {NumberForm::kPointGroups, "1.234", 1234},
                     {NumberForm::kPointGroups, "1.234.567,5", 1234567.5},
                     {NumberForm::kPointGroups, "12,5", 12.5},
                     {NumberForm::kBlankGroups, "1 234.5", 1234.5},
                     {NumberForm::kBlankGroups, "1\u00a0234\u202f567", 1234567},
                     {NumberForm::kBlankGroupsDecimalComma, "-1\u00a0234,5", -1234.5},
                     {NumberForm::kApostropheGroups, "1'234.5", 1234.5},
                     {NumberForm::kApostropheGroups, "1\u2019234", 1234},
                     {NumberForm::kFortran, "1.5D+03", 1500},
                     {NumberForm::kFortran, "-1.5d-1", -0.15},
                     {NumberForm::kFortran, "2.5E2", 250},
                     {NumberForm::kFortran, "7", 7}};
  for (const auto& [form, text, value] : cases)
    CHECK_MESSAGE(number(text, {.type = ColumnForm::Type::kNumber, .form = form}) == value, text);
}

TEST_CASE("what may stand beside a number is the unit of its column") {
  const auto with = [](std::string_view text, std::string unit) {
    return number(text, {.type = ColumnForm::Type::kNumber, .unit = std::move(unit)});
  };
  CHECK(with("12%", "%") == 12);
  CHECK(with("-$1.50", "$") == -1.5);
  CHECK(with("($1.50)", "$") == -1.5);
  CHECK(with("5\u00a0\u20ac", "\u20ac") == 5);
  CHECK(with("12 km/h", "km/h") == 12);
  CHECK(with("12", "km/h") == 12);
  CHECK(with("(5)", "") == -5);
  CHECK(with("12 kg", "km/h") == kNone);
  CHECK(with("12 kg", "") == kNone);
  CHECK(with("kg", "kg") == kNone);
  CHECK(with("", "kg") == kNone);
  CHECK(number("5", {.type = ColumnForm::Type::kWord}) == kNone);
}

TEST_CASE("digits are copied") {
  std::string text = "x";
  const ColumnForm form{.type = ColumnForm::Type::kNumber, .form = NumberForm::kDecimalComma, .unit = "m"};
  CHECK(append_in_form("-0,1000000000000000055511151231257827 m", form, text));
  CHECK(text == "x-0.1000000000000000055511151231257827");
  CHECK_FALSE(append_in_form("a", form, text));
  CHECK(text == "x-0.1000000000000000055511151231257827");
}

TEST_CASE("dates and times are numbers of days") {
  CHECK(days("1970-01-01") == 0);
  CHECK(days("1970-01-02T12:00:00Z") == 1.5);
  CHECK(days("1969-12-31 18:00") == -0.25);
  CHECK(days("2024-02-29") == 19782);
  CHECK(days("2024/2/29") == 19782);
  CHECK(days("2023-02-29") == kNone);
  CHECK(days("2024-13-01") == kNone);
  CHECK(days("1970-01-01T00:00:00.125") == 0.125 / 86400);
  CHECK(days("1970-01-01T01:30:00+01:30") == 0);
  CHECK(days("1970-01-01T00:00:00-0600") == 0.25);
  CHECK(days("1970-01-01T01:00+01") == 0);
  CHECK(days("29.2.2024") == 19782);
  CHECK(days("29.02.24 06:00") == 19782.25);
  CHECK(days("2/29/2024") == 19782);
  CHECK(days("29/2/2024") == kNone);
  CHECK(days("29/2/2024", true) == 19782);
  CHECK(days("2/29/2024", true) == kNone);
  CHECK(days("2024-02-29", true) == 19782);
  for (const bool is_day_first : {false, true}) {
    CHECK(days("3 Jan 2024", is_day_first) == 19725);
    CHECK(days("Jan 3, 2024", is_day_first) == 19725);
    CHECK(days("3-jan-24", is_day_first) == 19725);
    CHECK(days("January 3, 2024", is_day_first) == 19725);
  }
  CHECK(days("1/2/69") == -364 + 32 - 32);
  CHECK(days("1/1/68") == 35794);
  CHECK(days("06:00") == 0.25);
  CHECK(days("6:00 PM") == 0.75);
  CHECK(days("12:30am") == 30.0 / 1440);
  CHECK(days("12:00 pm") == 0.5);
  CHECK(days("noon") == kNone);
  CHECK(number("12:30", {.type = ColumnForm::Type::kDate}) == kNone);
  CHECK(number("1970-01-01", {.type = ColumnForm::Type::kTime}) == kNone);
  for (const char* text : {"2:1", "3:61", "0:1:1"}) CHECK(type_of(text) == CellType::kWord);
  CHECK(days("12") == kNone);
}

TEST_CASE("only what the calendar has is a date") {
  for (const char* text : {"40-59-69", "1.27.25", "12 Market 1987", "0000-00-00", "2024-02-30", "31-31-2024",
                           "2019-20", "1000-12", "12MAR45", "12Market1987", "31 Decembers 2020"})
    CHECK_MESSAGE(!looks_like_date(text), std::string(text));
  for (const char* text : {"31/12/69", "69/12/31", "12/31/69"})
    CHECK_MESSAGE(type_of(text) == CellType::kDate, std::string(text));
}

TEST_CASE("a year of two digits stands first where the column has it there") {
  CHECK(days("24-01-05", false, true) == days("2024-01-05"));
  CHECK(days("24/01/31 12:00", false, true) == days("2024-01-31") + 0.5);
  CHECK(days("98-12-31", false, true) == days("1998-12-31"));
  CHECK(days("24-13-05", false, true) == kNone);
  CHECK(days("2024-01-05", false, true) == days("2024-01-05"));
}

TEST_CASE("dates of further forms are read") {
  const double second = days("2023-01-02");
  for (const char* text :
       {"2023.01.02.", "02JAN2023", "2jan2023", "2. Januar 2023", "02-Jan-2023", "2 janv. 2023",
        "2 janvier 2023", "2 ene 2023", "2 gennaio 2023", "2 januari 2023", "2023\u5e7401\u670802\u65e5",
        "2023\u5e741\u67082\u65e5", "Jan. 2, 2023", "20230102T0000Z"})
    CHECK_MESSAGE(days(text) == second, std::string(text));
  CHECK(days("01-M\u00e4r-2023") == days("2023-03-01"));
  CHECK(days("1 f\u00e9vr. 2023") == days("2023-02-01"));
  CHECK(days("31 d\u00e9cembre 2023") == days("2023-12-31"));
  CHECK(days("1 Mai 2023") == days("2023-05-01"));
  CHECK(days("1 mei 2023") == days("2023-05-01"));
  CHECK(days("2023-01") == days("2023-01-01"));
  CHECK(days("2023/12") == days("2023-12-01"));
  CHECK(days("20230102T170000Z") == days("2023-01-02 17:00:00"));
  CHECK(days("20230102T1700+0100") == days("2023-01-02 16:00:00"));
  CHECK(days("02JAN2023:17:00:00") == days("2023-01-02 17:00:00"));
  CHECK(days("2023\u5e7401\u670802\u65e5 17:00") == days("2023-01-02 17:00:00"));
  CHECK(days("2023-01-02 17:00:00 CET") == days("2023-01-02 16:00:00"));
  CHECK(days("2023-01-02 17:00 GMT") == days("2023-01-02 17:00:00"));
  CHECK(days("2023-01-02 00:00 EST") == days("2023-01-02 05:00:00"));
  CHECK(days("05:00:00 p. m.") == days("17:00:00"));
  CHECK(days("05:00:00\u202fPM") == days("17:00:00"));
  CHECK(days("05:00 a.m.") == days("05:00"));
  CHECK(days("18.00.00") == 0.75);
  CHECK(days("00.30.00") == 0.5 / 24);
  CHECK_FALSE(looks_like_date("20231302T1700"));
  for (const char* text : {"25.00.00", "18.60.00", "8.00.00", "05:00 xm", "05:00 XYZ"})
    CHECK_MESSAGE(type_of(text) == CellType::kWord, std::string(text));
}

TEST_CASE("thousands do not begin with a zero") {
  CHECK(reads("4.812", NumberForm::kPointGroups));
  for (const char* text : {"0.469", "-0.469", "012.345"}) CHECK_FALSE(reads(text, NumberForm::kPointGroups));
  CHECK(reads("0,469", NumberForm::kDecimalComma));
  CHECK_FALSE(reads("0,469", NumberForm::kCommaGroups));
}

TEST_CASE("currencies stand in front of numbers or behind them") {
  for (const std::string money : {"AUD", "SEK", "PLN", "C$", "NT$", "R$", "US$", "$", "Rp", "Fr.", "Rs.",
                                  "\u20b1", "\u20aa", "\uffe5", "\u20ac", "\u00a3", "kr"}) {
    CAPTURE(money);
    CHECK(classify_cell(money + "12.5").prefix == money);
    CHECK(classify_cell(money + " 12.5").prefix == money);
    CHECK(classify_cell("12.5 " + money).suffix == money);
    CHECK(number(money + " 12.5", {.type = ColumnForm::Type::kNumber, .unit = money}) == 12.5);
    CHECK(number(money + "12.5", {.type = ColumnForm::Type::kNumber, .unit = money}) == 12.5);
  }
  for (const char* text :
       {"ABC 123", "TOP 10", "ALL 5", "aud 5", "USDEUR 5", "x$5", "ABCD$5", "R UR 5", " EUR 5a$"})
    CHECK_MESSAGE(type_of(text) == CellType::kWord, std::string(text));
}

TEST_CASE("a number of days is read back to the same number") {
  const ColumnForm form{.type = ColumnForm::Type::kDate};
  std::string text;
  REQUIRE(append_in_form("2024-02-29T13:14:15.162", form, text));
  CHECK(number(text, {.type = ColumnForm::Type::kNumber}) == days("2024-02-29T13:14:15.162"));
  CHECK(days("2024-02-29T13:14:15.162") == (19782 * 86400.0 + 47655.162) / 86400);
}

}  // namespace cell_test
