#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace glimpse {

/// Numbers in options, names and small files. Records have data/text/number.h, which is faster. The same in
/// every locale; no blanks, no '+'.

/// The number that `text` begins with, which is taken off it; nothing where there is none, or where T does
/// not hold it. Digits in `base` of whole numbers.
template <class T>
std::optional<T> take_number(std::string_view& text, int base = 10) {
  T value{};
  std::from_chars_result result{};
  if constexpr (std::integral<T>)
    result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  else
    result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  return value;
}

/// The same of all of `text`: nothing where something is left. A double may be infinite or no number.
template <class T>
std::optional<T> whole_text_as(std::string_view text, int base = 10) {
  const auto value = take_number<T>(text, base);
  return text.empty() ? value : std::nullopt;
}

/// All of `text` as a finite number.
inline std::optional<double> finite_number(std::string_view text) {
  const auto value = whole_text_as<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace glimpse
