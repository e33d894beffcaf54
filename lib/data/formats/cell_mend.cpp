#include "data/formats/cell_mend.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

#include "data/formats/csv_cells.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

// How many digits `text` begins with.
std::size_t digits(std::string_view text) {
  return std::min(
      static_cast<std::size_t>(
          std::find_if_not(text.begin(), text.end(), [](char c) { return is_digit(c); }) - text.begin()),
      text.size());
}

// "1,234,567" or "1 234" or "1'234.5", with up to three digits in front of the first `separator`.
bool has_thousands(std::string_view text, char separator) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t front = digits(text);
  if (front == 0 || front > 3 || front == text.size() || text[front] != separator) return false;
  text.remove_prefix(front);
  while (text.starts_with(separator)) {
    if (digits(text.substr(1)) != 3) return false;
    text.remove_prefix(4);
  }
  return text.empty() || (text.front() == '.' && digits(text.substr(1)) == text.size() - 1);
}

// "7:0.5", as svmlight has it; 12:30 may be a time as well.
bool is_pair(std::string_view text) {
  const std::size_t colon = digits(text);
  double value = 0;
  return colon > 0 && colon < text.size() && text[colon] == ':' && read_number(text.substr(colon + 1), value);
}

// Three numbers with the same character between, or hours and minutes: 2026-11-24, 24.12.2026, 7/4/26, 12:30.
bool is_date_or_time(std::string_view text) {
  std::size_t parts = 0;
  char divider = 0;
  for (;; ++parts) {
    const std::size_t count = digits(text);
    if (count == 0 || count > 4) return false;
    text.remove_prefix(count);
    const bool is_last = text.empty() || text.front() == 'T' || text.front() == ' ';
    if (is_last) return divider != 0 && (parts == 2 || (parts == 1 && divider == ':' && count == 2));
    if (divider != 0 && text.front() != divider) return false;
    divider = text.front();
    if (std::string_view("-./:").find(divider) == std::string_view::npos) return false;
    text.remove_prefix(1);
  }
}

// A number with a sign of money in front, or a sign or unit behind.
std::string_view beside_number(std::string_view field) {
  double number = 0;
  for (const std::string_view sign : {"$", "\xe2\x82\xac", "\xc2\xa3"})
    if (field.starts_with(sign) && read_number(trimmed(field.substr(sign.size())), number)) return sign;
  const std::size_t end = field.find_last_of("0123456789");
  if (end == std::string_view::npos || !read_number(field.substr(0, end + 1), number)) return {};
  return trimmed(field.substr(end + 1));
}

}  // namespace

std::string cell_mend(std::string_view field, bool decimal_comma) {
  double number = 0;
  if (is_not_finite_cell(field)) return ": leave the field empty or write NA where it is missing";
  if (is_date_or_time(field))
    return ": it is a date or a time: leave the column out with --ignore, or write it as a number";
  if (is_pair(field)) return ": of index:value say --format svmlight, or vw";
  if (decimal_comma && read_number(field, number))
    return ": with --decimal-comma a comma is decimal, and no point";
  const bool is_decimal =
      !decimal_comma && field.find(',') != std::string_view::npos && read_cell(field, true, number);
  for (const char separator : {',', '\'', ' '})
    if (has_thousands(field, separator))
      return fmt::format(": write thousands without '{}'{}", separator,
                         is_decimal ? ", or give --decimal-comma where it is decimal" : "");
  if (is_decimal) return ": --decimal-comma where the comma is decimal";
  const std::string_view beside = beside_number(field);
  return beside.empty() ? std::string() : fmt::format(": write the number without {}", quoted(beside));
}

}  // namespace glimpse
