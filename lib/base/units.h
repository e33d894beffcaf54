#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// Times and sizes as all programs read them. Pure functions, the same in every locale. Errors
/// (kInvalidOption) say what the text must be, to follow the name of what it is.

/// "250ms", "30s", "1.5m", "2h", "7d": rounded to milliseconds, up to ten years; a bare number is seconds.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

/// "4096", "64KiB", "16MiB", "2GiB": whole bytes, from 1 to 2⁵⁰.
Result<std::size_t> parse_bytes(std::string_view text);

/// A number with `decimals` digits behind the point, for people; what is rounded to 0 has no sign.
std::string fixed_text(double value, int decimals);

}  // namespace glimpse
