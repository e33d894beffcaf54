#pragma once

#include <cstddef>

namespace glimpse {

/// How many bytes before the end of a text read_short_decimal() reads.
inline constexpr std::size_t kShortDecimalBytes = 24;

/// Reads a decimal number that fills [begin, end): [+-]digits[.digits][e[+-]digits], with at most 19 digits,
/// whose value is found by a multiplication or a division; rounded to the nearest double. False for all
/// others: those that take more work, and texts that are no number; `value` is then undefined.
///
/// REQUIRES: the kShortDecimalBytes bytes before `end` may be read, whatever they are, and `begin` ≤ `end`.
/// Cost: about 20 operations for each eight bytes, without a loop over digits.
[[nodiscard]] bool read_short_decimal(const char* begin, const char* end, double& value);

}  // namespace glimpse
