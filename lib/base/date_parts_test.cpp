#include "base/date_parts.h"

#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

namespace glimpse::date_parts_test {
namespace {

std::vector<std::string> names_of(double days, std::uint8_t parts = DatePart::kAll) {
  std::vector<std::string> names;
  for (const double code : date_codes(days, parts))
    names.push_back(date_part_name(static_cast<std::uint32_t>(code)));
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("a date has a day of the week, a month and an hour") {
  CHECK(names_of(0) == Names{"Thursday", "January", "hour 0"});
  CHECK(names_of(20786 + 7.0 / 24) == Names{"Sunday", "November", "hour 7"});  // 2026-11-29
  CHECK(names_of(19782.999) == Names{"Thursday", "February", "hour 23"});      // 2024-02-29
  CHECK(names_of(-1.0 / 24) == Names{"Wednesday", "December", "hour 23"});     // 1969-12-31 23:00
}

TEST_CASE("only the parts that are asked for have codes") {
  CHECK(names_of(0.5, DatePart::kHour) == Names{"hour 12"});
  CHECK(names_of(0.5, DatePart::kWeekday | DatePart::kHour) == Names{"Thursday", "hour 12"});
  CHECK(names_of(0.5, 0).empty());
  CHECK(describe_date_parts(DatePart::kWeekday | DatePart::kHour) == "day of week, hour");
}

TEST_CASE("what is no date of ten thousand years has no parts") {
  for (const double none : {1e300, -1e300, kMostDays + 1, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()})
    CHECK(names_of(none).empty());
  CHECK(names_of(kMostDays).size() == 3);
  CHECK(names_of(-kMostDays).size() == 3);
}

TEST_CASE("parts are those that counting the days one after the other gives, for 400 years from 1970 on") {
  const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int day = 0;
  int wrong = 0;
  for (int year = 1970; year < 2370; ++year)
    for (int month = 0; month < 12; ++month) {
      const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
      for (int left = lengths[month] + (month == 1 && is_leap ? 1 : 0); left > 0; --left, ++day) {
        const int hour = day % 24;
        const FeatureCodes codes = date_codes(day + hour / 24.0, DatePart::kAll);
        wrong += codes.count != 3 || codes.codes[0] != (day + 3) % 7 || codes.codes[1] != 7 + month ||
                 codes.codes[2] != 19 + hour;
      }
    }
  CHECK(day == 146097);
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace glimpse::date_parts_test
