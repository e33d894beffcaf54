#include "base/date_parts.h"

#include <chrono>
#include <cmath>
#include <utility>

namespace glimpse {

namespace {
constexpr std::uint32_t kFirstMonth = 7;  // code
constexpr std::uint32_t kFirstHour = 19;  // code
constexpr const char* kDateNames[] = {"Monday",    "Tuesday", "Wednesday", "Thursday", "Friday",
                                      "Saturday",  "Sunday",  "January",   "February", "March",
                                      "April",     "May",     "June",      "July",     "August",
                                      "September", "October", "November",  "December"};
}  // namespace

std::string date_part_name(std::uint32_t code) {
  return code < kFirstHour ? kDateNames[code] : "hour " + std::to_string(code - kFirstHour);
}

std::string describe_date_parts(std::uint8_t parts) {
  std::string text;
  for (const auto& [part, name] :
       {std::pair{DatePart::kWeekday, "day of week"}, {DatePart::kMonth, "month"}, {DatePart::kHour, "hour"}})
    if ((parts & part) != 0) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

FeatureCodes date_codes(double days, std::uint8_t parts) {
  FeatureCodes codes;
  if (!(std::abs(days) <= kMostDays)) return codes;
  // 7/24 of a day is no double: as a whole number of milliseconds it is one.
  const std::chrono::sys_time<std::chrono::milliseconds> time(
      std::chrono::milliseconds(std::llround(days * 86400000)));
  const auto day = std::chrono::floor<std::chrono::days>(time);
  if ((parts & DatePart::kWeekday) != 0) codes.add(std::chrono::weekday(day).iso_encoding() - 1.0);
  if ((parts & DatePart::kMonth) != 0) {
    const std::chrono::year_month_day calendar(day);
    codes.add(kFirstMonth - 1.0 + static_cast<unsigned>(calendar.month()));
  }
  if ((parts & DatePart::kHour) != 0)
    codes.add(kFirstHour + static_cast<double>(std::chrono::floor<std::chrono::hours>(time - day).count()));
  return codes;
}

}  // namespace glimpse
