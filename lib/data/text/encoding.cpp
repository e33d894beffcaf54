#include "data/text/encoding.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

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

namespace {

constexpr std::array<std::pair<Encoding, std::string_view>, 5> kEncodingNames{
    {{Encoding::kUtf8, "utf-8"},
     {Encoding::kUtf16Le, "utf-16le"},
     {Encoding::kUtf16Be, "utf-16be"},
     {Encoding::kWindows1252, "windows-1252"},
     {Encoding::kLatin1, "latin-1"}}};

// What Windows-1252 has from 0x80 to 0x9f (the WHATWG's table; unassigned bytes are themselves).
constexpr std::array<char16_t, 32> kWindows1252{
    0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
    0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};

constexpr char32_t kReplacement = 0xfffd;

void append(char32_t code, std::string& to) {
  const auto tail = [&](int shift) { to += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    to += static_cast<char>(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    to += static_cast<char>(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Of UTF-16: the unit at `place`, and whether it is the first of two.
char32_t unit_at(std::string_view text, std::size_t place, Encoding encoding) {
  const auto first = static_cast<unsigned char>(text[place]);
  const auto second = static_cast<unsigned char>(text[place + 1]);
  return static_cast<char32_t>(encoding == Encoding::kUtf16Le ? first | second << 8 : first << 8 | second);
}
bool is_high(char32_t unit) { return unit / 0x400 == 0x36; }

// Of UTF-16, where most text is of characters below 256: nearly all bytes at even, or at odd places are
// zeros.
std::optional<Encoding> wide_encoding(std::string_view sample) {
  if (sample.starts_with("\xff\xfe")) return Encoding::kUtf16Le;
  if (sample.starts_with("\xfe\xff")) return Encoding::kUtf16Be;
  std::array<std::size_t, 2> zeros{};
  const std::size_t pairs = std::min<std::size_t>(sample.size(), 4096) / 2;
  for (std::size_t i = 0; i < 2 * pairs; ++i) zeros[i % 2] += sample[i] == '\0' ? 1 : 0;
  const std::size_t many = pairs - pairs / 4;
  if (pairs < 2 || zeros[0] + zeros[1] < many) return std::nullopt;
  if (zeros[0] == 0) return Encoding::kUtf16Le;
  return zeros[1] == 0 ? std::optional(Encoding::kUtf16Be) : std::nullopt;
}

// Whether bytes from 0x80 on at the end of a sample, at most four, begin with characters and end within one.
bool may_be_cut(std::string_view tail) {
  while (!tail.empty()) {
    const Character character = first_character(tail);
    if (character.length == 0) break;
    tail.remove_prefix(character.length);
  }
  if (tail.empty() || tail.size() > 3) return false;
  const auto first = static_cast<unsigned char>(tail.front());
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  return tail.size() < length &&
         std::ranges::all_of(tail.substr(1), [](char c) { return static_cast<unsigned char>(c) / 64 == 2; });
}

}  // namespace

std::string_view name_of(Encoding encoding) {
  return std::ranges::find(kEncodingNames, encoding, &std::pair<Encoding, std::string_view>::first)->second;
}

std::optional<Encoding> encoding_of(std::string_view name) {
  const auto* const found =
      std::ranges::find(kEncodingNames, name, &std::pair<Encoding, std::string_view>::second);
  return found != kEncodingNames.end() ? std::optional(found->first) : std::nullopt;
}

Encoding detect_encoding(std::string_view sample) {
  if (const auto wide = wide_encoding(sample)) return *wide;
  // The last character may be cut.
  constexpr std::size_t kLongestCharacter = 4;
  std::size_t end = sample.size();
  while (end > 0 && sample.size() - end < kLongestCharacter &&
         static_cast<unsigned char>(sample[end - 1]) >= 0x80)
    --end;
  const bool has_cut = end < sample.size() && may_be_cut(sample.substr(end));
  std::string_view rest = has_cut ? sample.substr(0, end) : sample;
  if (is_utf8(rest)) return Encoding::kUtf8;
  // Text of another encoding has hardly a character that is valid: a broken byte among many is one.
  std::size_t valid = 0;
  std::size_t broken = 0;
  while (!rest.empty()) {
    const std::size_t length = character_length(rest);
    valid += length > 1 ? 1 : 0;
    broken += length == 0 ? 1 : 0;
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  if (valid >= 10 * broken) return Encoding::kUtf8;
  const bool has_c1 =
      std::ranges::any_of(sample, [](char c) { return static_cast<unsigned char>(c) / 32 == 4; });
  return has_c1 ? Encoding::kWindows1252 : Encoding::kLatin1;
}

std::size_t mark_length(std::string_view text, Encoding encoding) {
  if (encoding == Encoding::kUtf8) return text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  if (encoding == Encoding::kUtf16Le) return text.starts_with("\xff\xfe") ? 2 : 0;
  if (encoding == Encoding::kUtf16Be) return text.starts_with("\xfe\xff") ? 2 : 0;
  return 0;
}

std::size_t whole_characters(std::string_view text, Encoding encoding) {
  if (encoding != Encoding::kUtf16Le && encoding != Encoding::kUtf16Be) return text.size();
  const std::size_t units = text.size() / 2 * 2;
  return units > 0 && is_high(unit_at(text, units - 2, encoding)) ? units - 2 : units;
}

void append_as_utf8(std::string_view text, Encoding encoding, std::string& to) {
  if (encoding == Encoding::kUtf8) {
    to += text;
    return;
  }
  if (encoding == Encoding::kWindows1252 || encoding == Encoding::kLatin1) {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      append(encoding == Encoding::kWindows1252 && byte / 32 == 4 ? kWindows1252[byte % 32] : byte, to);
    }
    return;
  }
  const auto unit = [&](std::size_t place) { return unit_at(text, place, encoding); };
  std::size_t at = 0;
  for (; at + 1 < text.size(); at += 2) {
    const char32_t code = unit(at);
    if (is_high(code) && at + 3 < text.size() && unit(at + 2) / 0x400 == 0x37) {
      append(0x10000 + (code % 0x400) * 0x400 + unit(at + 2) % 0x400, to);
      at += 2;
    } else {
      append(code / 0x800 == 0x1b ? kReplacement : code, to);
    }
  }
  if (at < text.size()) append(kReplacement, to);
}

}  // namespace glimpse
