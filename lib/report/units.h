#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// Numbers as people read and write them. Pure functions, the same in every locale. What is shown is rounded;
/// --json has every digit.

/// What stands for a value that is not there.
inline constexpr std::string_view kAbsent = "–";

/// 1234567 → "1,234,567".
std::string with_thousands(std::uint64_t value);

/// Six significant digits; whole numbers below 10¹⁵ in full with thousands separators; "–" for what is not
/// finite.
std::string readable_number(double value);

/// A number of which two significant digits are known, as readable_number() writes it: "0.73", "120",
/// "12,000".
std::string two_digits(double value);

/// "1 example", "2 examples": `one` has a regular plural.
std::string counted(double count, std::string_view one);

/// Two significant digits, and whole numbers from 10 on: "0.73", "7.3", "73", "100".
std::string readable_percent(double percent);

/// At most six characters for a rate from 0 to 10¹⁸: "12.3", "1.23M".
std::string compact_number(double value);

/// A duration in the two units that matter: "850 ms", "12.3 s", "1 min 05 s", "2 h 03 min", "3 d 04 h".
std::string readable_duration(double seconds);

std::string readable_duration(std::chrono::milliseconds time);

/// The same in the largest unit alone, without blanks: "12s", "5m", "2h", "3d".
std::string short_duration(double seconds);

/// "512 B", "1.5 KiB", "11.8 MiB".
std::string readable_bytes(double bytes);

}  // namespace glimpse
