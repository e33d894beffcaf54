#include "data/text/printable.h"

#include <algorithm>
#include <fmt/core.h>

#include "data/text/character.h"

namespace glimpse {

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Character character = first_character(text.substr(i));
    std::string_view bytes = text.substr(i, std::max<std::size_t>(character.length, 1));
    i += bytes.size();
    if (character.length == 0 || character.kind != Character::Kind::kHidden) {
      result += bytes;
      continue;
    }
    if (bytes.starts_with('\xc2')) bytes.remove_prefix(1);  // its second byte is its number
    for (const char byte : bytes) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return result;
}

}  // namespace glimpse
