#include "data/formats/csv_cells.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "data/records/categories.h"
#include "data/records/cell.h"
#include "data/records/table_layout.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

bool may_be_name(std::string_view field) {
  return !field.empty() && field.find_first_not_of("0123456789") == std::string_view::npos;
}

Error label_is_no_number(std::string_view label) {
  const bool is_word = !is_missing_cell(label) && !is_not_finite_cell(label) && !looks_like_odd_number(label);
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

namespace {

// Of a number with nothing beside it; empty: it has no thousands, and no decimal comma.
std::string thousands_mend(std::string_view field, bool decimal_comma) {
  std::string spaced(field);
  std::ranges::replace(spaced, '_', ' ');
  const Cell cell = classify_cell(spaced);
  if (!cell.is_bare) return {};
  const auto has = [&](NumberForm form, std::string_view divider) {
    return reads(cell, form) && field.find(divider) != std::string_view::npos;
  };
  const bool is_decimal = !decimal_comma && has(NumberForm::kDecimalComma, ",");
  const bool has_commas = has(NumberForm::kCommaGroups, ",");
  const bool has_blanks = std::ranges::any_of(
      cell.number, [](char c) { return c == ' ' || static_cast<unsigned char>(c) >= 0x80; });
  const std::string_view name = has_commas                                     ? "','"
                                : has(NumberForm::kPointGroups, ".")           ? "'.'"
                                : has(NumberForm::kApostropheGroups, "'")      ? "'''"
                                : has(NumberForm::kApostropheGroups, "\u2019") ? "apostrophes"
                                : !has_blanks                                  ? ""
                                : field.find('_') != field.npos                ? "'_'"
                                : field.find(' ') != field.npos                ? "' '"
                                                                               : "no-break and thin blanks";
  if (name.empty()) return is_decimal ? ": --decimal-comma where the comma is decimal" : "";
  const bool needs_comma = !decimal_comma && !has_commas && field.find(',') != std::string_view::npos;
  return fmt::format(": write thousands without {}{}", name,
                     is_decimal && has_commas ? ", or give --decimal-comma where it is decimal"
                     : needs_comma            ? ", and give --decimal-comma"
                                              : "");
}

// "7:0.5", as svmlight has it; 12:30 may be a time as well.
bool is_pair(std::string_view text) {
  const std::size_t colon = text.find_first_not_of("0123456789");
  double value = 0;
  return colon > 0 && colon < text.size() && text[colon] == ':' && read_number(text.substr(colon + 1), value);
}

}  // namespace

std::string cell_mend(std::string_view field, bool decimal_comma) {
  double number = 0;
  if (has_control_character(field)) return {};
  if (is_not_finite_cell(field)) return ": leave the field empty or write NA where it is missing";
  if (decimal_comma && read_number(field, number))
    return ": with --decimal-comma a comma is decimal, and no point";
  if (std::string mend = thousands_mend(field, decimal_comma); !mend.empty()) return mend;
  const Cell cell = classify_cell(field);
  if (cell.type == CellType::kDate || cell.type == CellType::kTime)
    return ": it is a date or a time: leave the column out with --ignore, or write it as a number";
  if (is_pair(field)) return ": of index:value say --format svmlight, or vw";
  if (cell.is_bare && cell.is_negative && !field.starts_with('-'))
    return ": write '-' for the minus sign of typesetters";
  if (field.starts_with('(') && field.ends_with(')') && looks_like_odd_number(field))
    return ": write '-' for the parentheses of accountants, and thousands without a sign";
  if (field.starts_with('=') && looks_like_odd_number(field)) return ": write numbers without =\"\"";
  if (field.starts_with('\'') && looks_like_odd_number(field)) return ": write numbers without quotes";
  if (looks_like_odd_number(field) && field.find_first_of("xX") != std::string_view::npos)
    return ": write numbers with base 10";
  const std::string_view beside = cell.prefix.empty() ? cell.suffix : cell.prefix;
  return beside.empty() ? std::string() : fmt::format(": write the number without {}", in_quotes(beside));
}

namespace {

bool is_padding(char c, char delimiter) { return is_blank(c) && c != delimiter; }

}  // namespace

// Adds the field whose first quote is at `at`, and moves `at` behind its last. False when there is no last.
bool CsvFields::read_quoted(std::string_view record, std::size_t& at) {
  const std::size_t begin = at + 1;
  std::size_t end = record.find('"', begin);
  bool has_pairs = false;
  while (end != std::string_view::npos && record.substr(end).starts_with("\"\"")) {
    has_pairs = true;
    end = record.find('"', end + 2);
  }
  if (end == std::string_view::npos) return false;
  at = end + 1;
  std::string_view text = record.substr(begin, end - begin);
  if (has_pairs) {
    const std::size_t copy = unescaped_.size();
    for (std::size_t i = 0; i < text.size(); ++i) {
      unescaped_ += text[i];
      if (text[i] == '"') ++i;
    }
    text = std::string_view(unescaped_).substr(copy);
  }
  fields_.push_back(text);
  return true;
}

Status CsvFields::split(std::string_view record, char delimiter, std::size_t most) {
  fields_.clear();
  unescaped_.clear();
  unescaped_.reserve(record.size());
  std::size_t at = 0;
  for (;;) {
    if (fields_.size() == most)
      return failure(ErrorCode::kInvalidInput, "the row has more than {} fields", most);
    while (at < record.size() && is_padding(record[at], delimiter)) ++at;
    if (at == record.size() || record[at] != '"') {
      const std::size_t end = std::min(record.find(delimiter, at), record.size());
      fields_.push_back(trimmed(record.substr(at, end - at)));
      at = end;
    } else {
      if (!read_quoted(record, at)) {
        return failure(ErrorCode::kInvalidInput, "the quote of column #{} does not end", fields_.size() + 1);
      }
      while (at < record.size() && is_padding(record[at], delimiter)) ++at;
      if (at < record.size() && record[at] != delimiter) {
        return failure(ErrorCode::kInvalidInput, "column #{} has text behind its quotes: {}", fields_.size(),
                       in_quotes(record.substr(at)));
      }
    }
    if (at >= record.size()) return {};
    ++at;  // the delimiter; a record that ends with one has an empty field behind it
  }
}

}  // namespace glimpse
