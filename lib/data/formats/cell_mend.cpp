#include "data/formats/cell_mend.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

#include "data/formats/csv_cells.h"
#include "data/records/categories.h"
#include "data/records/odd_numbers.h"
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
bool has_thousands(std::string_view text, char separator, char point) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t front = digits(text);
  if (front == 0 || front > 3 || front == text.size() || text[front] != separator) return false;
  text.remove_prefix(front);
  while (text.starts_with(separator)) {
    if (digits(text.substr(1)) != 3) return false;
    text.remove_prefix(4);
  }
  return text.empty() || (text.front() == point && digits(text.substr(1)) == text.size() - 1);
}

// Empty: it has none. `field`: as with_plain_signs() makes it of one that `was_plain` or not.
std::string thousands_mend(std::string_view field, bool was_plain, bool decimal_comma) {
  double number = 0;
  const bool has_comma = field.find(',') != std::string_view::npos;
  const bool is_decimal = !decimal_comma && has_comma && read_cell(field, true, number);
  for (const char separator : {',', '\'', ' ', '_', '.'})
    for (const char point : {'.', ','}) {
      if (separator == point || !has_thousands(field, separator, point)) continue;
      const std::string name = was_plain || (separator != ' ' && separator != '\'')
                                   ? fmt::format("'{}'", separator)
                               : separator == ' ' ? std::string("no-break and thin blanks")
                                                  : std::string("apostrophes");
      const bool has_decimal_comma = point == ',' && has_comma && !decimal_comma;
      return fmt::format(": write thousands without {}{}", name,
                         is_decimal          ? ", or give --decimal-comma where it is decimal"
                         : has_decimal_comma ? ", and give --decimal-comma"
                                             : "");
    }
  return is_decimal ? ": --decimal-comma where the comma is decimal" : "";
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
  if (has_control_character(field)) return {};
  if (is_not_finite_cell(field)) return ": leave the field empty or write NA where it is missing";
  if (decimal_comma && read_number(field, number))
    return ": with --decimal-comma a comma is decimal, and no point";
  const std::string plain = with_plain_signs(field);
  if (std::string mend = thousands_mend(plain, plain == field, decimal_comma); !mend.empty()) return mend;
  if (is_date_or_time(field))
    return ": it is a date or a time: leave the column out with --ignore, or write it as a number";
  if (is_pair(field)) return ": of index:value say --format svmlight, or vw";
  if (plain != field && read_cell(plain, decimal_comma, number))
    return ": write '-' for the minus sign of typesetters";
  if (field.starts_with('(') && field.ends_with(')') && looks_like_odd_number(field))
    return ": write '-' for the parentheses of accountants, and thousands without a sign";
  if (field.starts_with('=') && looks_like_odd_number(field)) return ": write numbers without =\"\"";
  if (field.starts_with('\'') && looks_like_odd_number(field)) return ": write numbers without quotes";
  if (looks_like_odd_number(field) && field.find_first_of("xX") != std::string_view::npos)
    return ": write numbers with base 10";
  const std::string_view beside = beside_number(field);
  return beside.empty() ? std::string() : fmt::format(": write the number without {}", quoted(beside));
}

}  // namespace glimpse
