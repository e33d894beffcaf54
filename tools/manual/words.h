#pragma once

#include <algorithm>
#include <string_view>

namespace glimpse::manual {

/// Each word of a text between blanks and ends of lines.
template <class Use>
void for_each_word(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    use(text.substr(0, end));
    text.remove_prefix(end);
  }
}

}  // namespace glimpse::manual
