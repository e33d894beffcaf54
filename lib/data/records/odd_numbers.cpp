#include "data/records/odd_numbers.h"

#include <algorithm>
#include <array>

#include "data/text/text.h"

namespace glimpse {

bool looks_like_odd_number(std::string_view word) {
  constexpr std::array<std::string_view, 4> kCurrencies{"$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5"};
  bool has_mark = false;
  if (!word.empty() && (word.front() == '-' || word.front() == '+')) word.remove_prefix(1);
  for (const std::string_view currency : kCurrencies)
    if (word.starts_with(currency)) {
      word = trimmed(word.substr(currency.size()));
      has_mark = true;
    }
  if (word.ends_with('%')) {
    word = trimmed(word.substr(0, word.size() - 1));
    has_mark = true;
  }
  if (word.empty() || !is_digit(word.front()) || !is_digit(word.back())) return false;
  // Groups of three digits behind the first, and perhaps a fraction.
  std::size_t points = 0;
  std::size_t commas = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '.') ++points;
    if (word[i] == ',' || word[i] == '\'') ++commas;
    if (!is_digit(word[i]) && word[i] != '.' && word[i] != ',' && word[i] != '\'') return false;
  }
  if (points + commas == 0) return has_mark;
  if (points + commas == 1) return true;
  std::size_t group = 0;
  bool is_first = true;
  bool are_groups = true;  // all between the first divider and the last
  for (const char c : word) {
    if (is_digit(c)) {
      ++group;
      continue;
    }
    are_groups = are_groups && (is_first ? group <= 3 : group == 3);
    is_first = false;
    group = 0;
  }
  return are_groups && (group == 3 || (points > 0 && commas > 0));
}

std::string odd_number_advice(std::string_view called, std::string_view word) {
  return fmt::format(
      "{} holds numbers that are written in another way, as {}: 1234.5 is one, and 1234,5 with "
      "--decimal-comma; --categories {} takes them as words, --ignore {} leaves them out",
      quoted(called), quoted(word), called, called);
}

}  // namespace glimpse
