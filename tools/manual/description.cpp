#include "manual/description.h"

#include <algorithm>

namespace glimpse::manual {

std::vector<std::string> words_of(const std::string& value, const std::vector<std::string>& choices) {
  if (!choices.empty()) return choices;
  const auto is_of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '|';
  };
  if (value.find('|') == std::string::npos || !std::all_of(value.begin(), value.end(), is_of_word)) return {};
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find('|', begin), value.size());
    words.push_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::vector<OptionText> described(const std::vector<BoundOption>& rows) {
  std::vector<OptionText> texts;
  for (const BoundOption& row : rows)
    texts.push_back({.name = row.name,
                     .value = row.value,
                     .sentence = row.sentence,
                     .standard = row.standard,
                     .example = {},
                     .details = {},
                     .accepts = {},
                     .choices = words_of(row.value, row.choices),
                     .reload = Reload::kRestart,
                     .is_flag = row.is_flag,
                     .is_repeated = row.is_repeated,
                     .is_required = row.is_required});
  OptionText help;
  help.name = "help";
  help.sentence = "show this and exit";
  help.is_flag = true;
  texts.push_back(std::move(help));
  return texts;
}

}  // namespace glimpse::manual
