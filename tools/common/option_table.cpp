#include "common/option_table.h"

#include <fmt/format.h>

#include "base/numbers.h"
#include "data/text/number.h"

namespace glimpse {

Error wrong_value(std::string_view option, std::string_view text, std::string_view constraint) {
  return failure(ErrorCode::kInvalidOption, "--{} is '{}'; it must be {}", option, text, constraint);
}

Result<std::uint64_t> whole_number(std::string_view option, std::string_view text, std::uint64_t lowest,
                                   std::uint64_t highest) {
  if (const auto value = whole_text_as<std::uint64_t>(text); value && *value >= lowest && *value <= highest)
    return *value;
  return wrong_value(option, text, fmt::format("a whole number from {} to {}", lowest, highest));
}

Result<double> number(std::string_view option, std::string_view text) {
  double value = 0;
  if (read_number(text, value)) return value;
  return wrong_value(option, text, "a finite number");
}

Result<double> number(std::string_view option, std::string_view text, NumberRange range) {
  double value = 0;
  const bool is_number = read_number(text, value);
  const bool is_above = range.is_open ? value > range.lowest : value >= range.lowest;
  if (is_number && is_above && value <= range.highest) return value;
  return wrong_value(option, text,
                     range.is_open
                         ? fmt::format("a number above {} and at most {}", range.lowest, range.highest)
                         : fmt::format("a number from {} to {}", range.lowest, range.highest));
}

}  // namespace glimpse
