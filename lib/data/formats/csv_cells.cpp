#include "data/formats/csv_cells.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>

#include "data/records/odd_numbers.h"
#include "data/records/table_layout.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

bool is_missing_cell(std::string_view field) {
  constexpr std::size_t kLongest = 4;
  if (field.size() > kLongest) return false;
  constexpr std::array<std::string_view, 12> kMissing{"",   "NA",  "?",    "N/A",  "null", "NULL",
                                                      "na", "n/a", "#N/A", "<NA>", "-",    "."};
  return std::find(kMissing.begin(), kMissing.end(), field) != kMissing.end();
}

bool is_not_finite_cell(std::string_view field) {
  constexpr std::array<std::string_view, 6> kErrors{"#DIV/0!", "#VALUE!", "#REF!",
                                                    "#NUM!",   "#NAME?",  "#NULL!"};
  if (std::ranges::find(kErrors, field) != kErrors.end()) return true;
  if (!field.empty() && (field.front() == '-' || field.front() == '+')) field.remove_prefix(1);
  std::string lower;
  for (const char c : field.substr(0, 9))
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "nan" || lower == "inf" || lower == "infinity") return true;
  if (field.empty() || field.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
  const std::string text(field);
  char* end = nullptr;
  return std::isinf(std::strtod(text.c_str(), &end)) && *end == '\0';
}

bool may_be_name(std::string_view field) {
  return !field.empty() && field.find_first_not_of("0123456789") == std::string_view::npos;
}

bool read_cell(std::string_view field, bool decimal_comma, double& value) {
  if (!decimal_comma) return read_number(field, value);
  if (field.find('.') != std::string_view::npos) return false;
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos) return read_number(field, value);
  std::string point(field);
  point[comma] = '.';
  return read_number(point, value);
}

CellKind cell_kind(std::string_view field, bool decimal_comma) {
  double number = 0;
  if (is_missing_cell(field)) return CellKind::kMissing;
  if (read_cell(field, decimal_comma, number)) return CellKind::kNumber;
  return is_not_finite_cell(field) ? CellKind::kNotFinite : CellKind::kWord;
}

Error label_is_no_number(std::string_view label) {
  const bool is_word = cell_kind(label, false) == CellKind::kWord && !looks_like_odd_number(label);
  return failure(ErrorCode::kInvalidInput, "{}{}", not_a_number("label", label).message,
                 is_word ? ": with --task classes labels may be words" : "");
}

char delimiter_of(std::string_view row, bool decimal_comma) {
  constexpr std::string_view kCandidates = "\t;,";
  const std::size_t candidates = kCandidates.size() - (decimal_comma ? 1 : 0);
  std::array<std::size_t, kCandidates.size()> counts{};
  bool is_quoted = false;
  for (const char c : row) {
    if (c == '"') is_quoted = !is_quoted;
    const std::size_t place = is_quoted ? std::string_view::npos : kCandidates.find(c);
    if (place < candidates) ++counts[place];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  if (*most > 0) return kCandidates[static_cast<std::size_t>(most - counts.begin())];
  return trimmed(row).find(' ') != std::string_view::npos ? ' ' : decimal_comma ? ';' : ',';
}

bool ends_empty(std::string_view row, char delimiter) {
  while (!row.empty() && row.back() != delimiter && is_blank(row.back())) row.remove_suffix(1);
  return row.ends_with(delimiter);
}

std::string delimiter_word(char delimiter) {
  const std::string_view word = word_of_delimiter(delimiter).value_or(std::string_view(&delimiter, 1));
  return word.size() > 1 ? std::string(word) : fmt::format("'{}'", word);
}

}  // namespace glimpse
