#include "base/units.h"

#include <charconv>
#include <cstdint>
#include <span>

namespace glimpse {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// A whole number followed by one of `units`; no value when there is none or the product passes `limit`.
Result<std::uint64_t> parse_with_unit(std::string_view text, std::span<const Unit> units,
                                      std::uint64_t limit) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& known : units)
    if (error == std::errc() && unit == known.name && number <= limit / known.factor)
      return number * known.factor;
  return failure(ErrorCode::kInvalidOption, "'{}'", text);
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  static constexpr Unit kUnits[] = {{"ms", 1},    {"s", 1000},    {"", 1000},
                                    {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
  const auto value = parse_with_unit(text, kUnits, std::uint64_t{86400000} * 3653);
  if (!value) return failure(ErrorCode::kInvalidOption, "must be a time such as 250ms, 30s, 5m, 2h or 7d");
  return std::chrono::milliseconds(*value);
}

Result<std::size_t> parse_bytes(std::string_view text) {
  static constexpr Unit kUnits[] = {
      {"", 1}, {"B", 1}, {"KiB", 1U << 10}, {"MiB", 1U << 20}, {"GiB", 1U << 30}};
  const auto value = parse_with_unit(text, kUnits, std::uint64_t{1} << 50);
  if (!value || *value == 0)
    return failure(ErrorCode::kInvalidOption, "must be a size such as 4096, 64KiB, 16MiB or 2GiB");
  return static_cast<std::size_t>(*value);
}

}  // namespace glimpse
