#include "learn/core/option_lines.h"

#include <algorithm>

namespace glimpse {

std::string_view line_of(std::string_view text, std::string_view key) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (text.substr(begin, end - begin).starts_with(key)) return text.substr(begin, end - begin);
    begin = end + 1;
  }
  return {};
}

std::string_view line_without_match(std::string_view text, std::string_view other) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line_of(other, line.substr(0, line.find('=') + 1)) != line) return line;
    begin = end + 1;
  }
  return {};
}

}  // namespace glimpse
