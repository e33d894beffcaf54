#include "report/units.h"

#include <array>
#include <cmath>
#include <utility>

namespace glimpse {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;
constexpr double kLongest =
    1e15;  // beyond it a double's hours are noise, and later no integer holds its days

/// "3 d 04 h": whole `large` units and the rest in `small` ones.
std::string two_units(double seconds, double large, std::string_view large_name, double small,
                      std::string_view small_name) {
  const double whole = std::floor(seconds / large);
  const double rest = std::floor((seconds - whole * large) / small);
  return fmt::format("{} {} {:02} {}", with_thousands(static_cast<std::uint64_t>(whole)), large_name,
                     static_cast<int>(rest), small_name);
}

}  // namespace

std::string with_thousands(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string readable_number(double value) {
  if (!std::isfinite(value)) return std::string(kAbsent);
  const double size = std::abs(value);
  if (size < 1e15 && size == std::floor(size))
    return (value < 0 ? "-" : "") + with_thousands(static_cast<std::uint64_t>(size));
  return fmt::format("{:.6g}", value);
}

std::string two_digits(double value) {
  if (!(std::abs(value) > 0)) return readable_number(value);
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 1);
  return readable_number(std::round(value / unit) * unit);
}

std::string counted(double count, std::string_view one) {
  return fmt::format("{} {}{}", readable_number(count), one, count == 1 ? "" : "s");
}

std::string readable_percent(double percent) {
  // 99.7 with two digits would be "1e+02".
  return percent >= 9.95 ? fmt::format("{:.0f}", percent) : fmt::format("{:.2g}", percent);
}

std::string compact_number(double value) {
  if (!std::isfinite(value) || value < 0) return std::string(kAbsent);
  constexpr std::string_view kSuffixes = "kMGTP";
  if (value < 999.5) return fmt::format("{:.3g}", value);
  std::size_t i = 0;
  // 999.5 would be rounded to "1e+03".
  for (value /= 1e3; value >= 999.5 && i + 1 < kSuffixes.size(); ++i) value /= 1e3;
  return fmt::format("{:.3g}{}", value, kSuffixes[i]);
}

std::string readable_duration(double seconds) {
  if (!std::isfinite(seconds)) return std::string(kAbsent);
  if (seconds < 0) return "-" + readable_duration(-seconds);
  if (seconds == 0) return "0 s";
  if (seconds < 0.9995) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 9.95) return fmt::format("{:.2g} s", seconds);
  if (seconds < 59.95) return fmt::format("{:.3g} s", seconds);
  if (seconds < kMinute) seconds = kMinute;
  if (seconds < kHour) return two_units(seconds, kMinute, "min", 1, "s");
  if (seconds < kDay) return two_units(seconds, kHour, "h", kMinute, "min");
  if (seconds < kLongest) return two_units(seconds, kDay, "d", kHour, "h");
  return readable_number(std::floor(seconds / kDay)) + " d";
}

std::string readable_duration(std::chrono::milliseconds time) {
  return readable_duration(std::chrono::duration<double>(time).count());
}

std::string short_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return std::string(kAbsent);
  constexpr std::array<std::pair<double, char>, 3> kUnits{{{kDay, 'd'}, {kHour, 'h'}, {kMinute, 'm'}}};
  for (const auto& [unit, letter] : kUnits)
    if (seconds >= unit) return fmt::format("{:.0f}{}", std::floor(seconds / unit), letter);
  return fmt::format("{:.0f}s", std::floor(seconds));
}

std::string readable_bytes(double bytes) {
  if (!std::isfinite(bytes)) return std::string(kAbsent);
  constexpr std::array<std::string_view, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1023.5) return fmt::format("{:.0f} B", bytes);
  std::size_t i = 0;
  for (bytes /= 1024; bytes >= 1023.95 && i + 1 < kUnits.size(); ++i) bytes /= 1024;
  return fmt::format("{:.1f} {}", bytes, kUnits[i]);
}

}  // namespace glimpse
