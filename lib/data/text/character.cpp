#include "data/text/character.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace glimpse {

namespace {
// Bytes of the character that `text` begins with; 0: none that is valid.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Longer than needed, half of a surrogate pair, beyond the last character.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f))
    return 0;
  return length;
}

// Of a character of `length` bytes.
char32_t code_point(std::string_view text, std::size_t length) {
  constexpr unsigned char kFirst[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  auto code = static_cast<char32_t>(static_cast<unsigned char>(text[0]) & kFirst[length]);
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  return code;
}

struct Span {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool lies_in(const Span (&spans)[N], char32_t code) {
  return std::ranges::any_of(spans, [&](Span span) { return code >= span.first && code <= span.last; });
}

// Unicode 15, general categories Zs, and Cc, Cf, Zl and Zp without the two joiners of letters and emoji.
constexpr Span kBlanks[] = {{0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a},
                            {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}};
constexpr Span kHidden[] = {{0x80, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},    {0x180e, 0x180e},
                            {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
                            {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
}  // namespace

Character first_character(std::string_view text) {
  using Kind = Character::Kind;
  const std::size_t length = character_length(text);
  if (length == 0) return {};
  if (length == 1) return {1, text[0] < 0x20 || text[0] == 0x7f ? Kind::kHidden : Kind::kSeen};
  const char32_t code = code_point(text, length);
  if (lies_in(kHidden, code)) return {length, Kind::kHidden};
  return {length, lies_in(kBlanks, code) ? Kind::kBlank : Kind::kSeen};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::uint64_t word = 0;
    if (text.size() >= sizeof word) {
      std::memcpy(&word, text.data(), sizeof word);
      if ((word & 0x8080808080808080) == 0) {
        text.remove_prefix(sizeof word);
        continue;
      }
    }
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace glimpse
