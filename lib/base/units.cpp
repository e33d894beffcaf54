#include "base/units.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/numbers.h"

namespace glimpse {

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ms", 1}, {"s", 1e3}, {"", 1e3}, {"m", 60e3}, {"h", 3600e3}, {"d", 86400e3}};
  constexpr double kLongest = 86400e3 * 3653;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  if (const auto number = whole_text_as<double>(text.substr(0, digits)))
    for (const auto& [unit, milliseconds] : kUnits)
      if (text.substr(digits) == unit && *number * milliseconds <= kLongest)
        return std::chrono::milliseconds(std::llround(*number * milliseconds));
  return failure(ErrorCode::kInvalidOption, "must be a time such as 250ms, 30s, 5m, 2h or 7d");
}

Result<std::size_t> parse_bytes(std::string_view text) {
  static constexpr std::pair<std::string_view, unsigned> kUnits[] = {
      {"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
  std::string_view unit = text;
  const std::uint64_t number = take_number<std::uint64_t>(unit).value_or(0);
  for (const auto& [name, bits] : kUnits)
    if (unit == name && number > 0 && number <= kMost >> bits)
      return static_cast<std::size_t>(number << bits);
  return failure(ErrorCode::kInvalidOption, "must be a size such as 4096, 64KiB, 16MiB or 2GiB");
}

std::string fixed_text(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.front() == '-' ? text.substr(1) : text;
}

}  // namespace glimpse
