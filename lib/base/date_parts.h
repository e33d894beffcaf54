#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace glimpse {

/// What of a date is a category of its own. Monday has code 0, January code 7, and the hour that begins at
/// midnight code 19.
struct DatePart {
  static constexpr std::uint8_t kWeekday = 1;
  static constexpr std::uint8_t kMonth = 2;
  static constexpr std::uint8_t kHour = 4;
  static constexpr std::uint8_t kAll = 7;
};
inline constexpr std::uint32_t kDateCodes = 43;
inline constexpr double kMostDays = 3652425;  ///< of a date, before or behind 1970: ten thousand years
/// The codes of one of them, a bit each.
constexpr std::uint64_t date_codes_of(std::uint8_t part) {
  constexpr std::uint64_t kOne = 1;
  return part == DatePart::kWeekday ? (kOne << 7) - 1
         : part == DatePart::kMonth ? (kOne << 19) - (kOne << 7)
                                    : (kOne << kDateCodes) - (kOne << 19);
}
/// "Monday", "January", "hour 7" of code 0, 7, 26.
std::string date_part_name(std::uint32_t code);
/// "day of week, hour" of such a set of DatePart.
std::string describe_date_parts(std::uint8_t parts);

/// Up to one code for each part of a value.
struct FeatureCodes {
  std::array<double, 3> codes{};
  std::size_t count = 0;

  void add(double code) { codes[count++] = code; }
  const double* begin() const { return codes.data(); }
  const double* end() const { return codes.data() + count; }
};
/// The codes of some parts of a date, which is a number of days since 1970-01-01 in UTC, rounded to the
/// millisecond. None beyond kMostDays. O(1).
FeatureCodes date_codes(double days, std::uint8_t parts);

}  // namespace glimpse
