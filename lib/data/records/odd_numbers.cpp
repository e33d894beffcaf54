#include "data/records/odd_numbers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::array<std::string_view, 4> kCurrencies{"$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5"};

bool is_group_divider(char c) { return c == ',' || c == '\'' || c == '.' || c == ' ' || c == '_'; }

// "0x1f"
bool is_hexadecimal(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  return text.size() > 2 && (text.starts_with("0x") || text.starts_with("0X")) &&
         text.find_first_not_of(kDigits, 2) == std::string_view::npos;
}

// Digits in groups, which begin and end with one. What stands between them is unlike a list: blanks and _
// have three digits behind each, and all others but one or two do as well.
bool is_grouped(std::string_view text) {
  std::size_t points = 0;
  std::size_t others = 0;
  std::size_t blanks = 0;
  std::size_t group = 0;
  char before = 0;         // the divider in front of the group
  bool are_groups = true;  // all in front of the last divider
  const auto is_group = [&] {
    if (before == 0) return group <= 3;
    return group == 3 || (before == ',' && group == 2);  // 12,34,567
  };
  for (const char c : text) {
    if (is_digit(c)) {
      ++group;
      continue;
    }
    if (!is_group_divider(c)) return false;
    are_groups = are_groups && is_group();
    const bool is_blank = c == ' ' || c == '_';
    ++(is_blank ? blanks : c == '.' ? points : others);
    before = c;
    group = 0;
  }
  if (blanks > 0) {
    const bool has_fraction = before == '.' || before == ',';
    return are_groups && points + others <= 1 && (has_fraction || (group == 3 && points + others == 0));
  }
  if (points + others == 1) return true;
  return are_groups && points + others > 0 && (group == 3 || (points > 0 && others > 0));
}

// Takes what stands beside the number off both ends. True: it makes one odd by itself.
bool take_marks(std::string_view& word) {
  bool has_mark = false;
  if (!word.empty() && (word.front() == '-' || word.front() == '+')) word.remove_prefix(1);
  for (const std::string_view currency : kCurrencies) {
    has_mark = has_mark || word.starts_with(currency) || word.ends_with(currency);
    if (word.starts_with(currency)) word = trimmed(word.substr(currency.size()));
    if (word.ends_with(currency)) word = trimmed(word.substr(0, word.size() - currency.size()));
  }
  if (word.ends_with('%')) {
    word = trimmed(word.substr(0, word.size() - 1));
    has_mark = true;
  }
  if (word.starts_with('(') && word.ends_with(')')) word = word.substr(1, word.size() - 2);
  if (word.ends_with('-')) word.remove_suffix(1);  // of accountants as well
  return has_mark;
}

}  // namespace

bool is_missing_number(std::string_view word) {
  constexpr std::array<std::string_view, 11> kMissing{"#NA", "nan", "NaN", "NAN",  "None", "none",
                                                      "NaT", "\\N", "--",  "n.a.", "N.A."};
  return word.size() <= 4 && std::ranges::find(kMissing, word) != kMissing.end();
}

std::optional<double> truth_value(std::string_view word) {
  for (const auto& [yes, no] : {std::pair("true", "false"), {"True", "False"}, {"TRUE", "FALSE"}})
    if (word == yes || word == no) return word == yes ? 1 : 0;
  return std::nullopt;
}

std::string with_plain_signs(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kSigns{{{"\xc2\xa0", ' '},
                                                                     {"\xe2\x80\xaf", ' '},
                                                                     {"\xe2\x80\x89", ' '},
                                                                     {"\xe2\x80\x99", '\''},
                                                                     {"\xe2\x88\x92", '-'}}};
  std::string plain;
  while (!word.empty()) {
    const auto* const sign =
        std::ranges::find_if(kSigns, [word](const auto& one) { return word.starts_with(one.first); });
    plain += sign != kSigns.end() ? sign->second : word.front();
    word.remove_prefix(sign != kSigns.end() ? sign->first.size() : 1);
  }
  return plain;
}

bool looks_like_odd_number(std::string_view word) {
  const std::string plain = with_plain_signs(word);
  std::string_view text = trimmed(plain);
  const bool is_formula = text.starts_with("=\"") && text.ends_with('"') && text.size() > 3;
  if (is_formula) text = text.substr(2, text.size() - 3);
  const bool is_quoted = text.size() > 2 && text.front() == '\'' && text.back() == '\'';
  if (is_quoted) text = text.substr(1, text.size() - 2);
  const bool has_mark =
      take_marks(text) || is_formula || is_quoted || (plain != word && plain.front() == '-');
  if (text.empty() || !is_digit(text.front())) return false;
  if (is_hexadecimal(text)) return true;
  if (!is_digit(text.back())) return false;
  return is_grouped(text) ||
         (has_mark && std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c); }));
}

std::string odd_number_advice(std::string_view called, std::string_view word) {
  return fmt::format(
      "{0} holds numbers that are written in another way, as {1}: 1234.5 is one, and 1234,5 with "
      "--decimal-comma; --categories{2} takes them as words, --ignore{2} leaves them out",
      in_quotes(called), in_quotes(word), as_argument(called));
}

std::string odd_label_advice(std::string_view word) {
  return fmt::format(
      "label {} is a number that is written in another way: 1234.5 is one, and in tables 1234,5 with "
      "--decimal-comma",
      in_quotes(word));
}

}  // namespace glimpse
