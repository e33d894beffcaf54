#include "data/text/shell_words.h"

#include <algorithm>
#include <cctype>

namespace glimpse {

std::string shell_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view("#%+,-./:=@_").find(c) != std::string_view::npos;
  };
  if (!text.empty() && text.front() != '#' && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string shell_argument(std::string_view text) {
  if (!text.starts_with('#')) return " " + shell_word(text);
  const std::string word = shell_word("=" + std::string(text));  // quoted as a whole, or not at all
  return word.starts_with('=') ? word : "='" + word.substr(2);
}

}  // namespace glimpse
