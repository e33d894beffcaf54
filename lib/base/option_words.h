#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace glimpse {

/// Whether a word of a command line, or a line of a configuration file, has one of the words that stand for
/// others in the messages of Boost.Program_options. 1.81 replaces them again and again, for ever, where what
/// it puts in their place, the name or value of an option, holds one itself.
inline bool holds_placeholder(std::string_view text) {
  constexpr std::array<std::string_view, 6> kPlaceholders{
      "%original_token%", "%canonical_option%", "%option%", "%value%", "%prefix%", "%invalid_line%"};
  return std::any_of(kPlaceholders.begin(), kPlaceholders.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace glimpse
