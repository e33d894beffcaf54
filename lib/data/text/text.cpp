#include "data/text/text.h"

namespace glimpse {

bool is_blank_or_comment(std::string_view record) {
  if (!record.empty() && record.front() == '#') return true;
  return skip_blanks(record.data(), record.data() + record.size()) == record.data() + record.size();
}

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

// The same of one that is seen as it is, beyond ASCII: no control character, blank, mark of direction or
// other punctuation, which may be what is wrong with a text.
std::size_t letter_length(std::string_view text) {
  const std::size_t length = character_length(text);
  const std::string_view character = text.substr(0, length);
  const auto first = static_cast<unsigned char>(text[0]);
  const bool is_punctuation = first == 0xe2 || character < "\xc3\x80" || character == "\xd8\x9c" ||
                              character == "\xe1\x9a\x80" || character.starts_with("\xe1\xa0\x8e") ||
                              character.starts_with("\xe3\x80") || first >= 0xee;
  return length > 1 && !is_punctuation ? length : 0;
}
}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  constexpr char kHex[] = "0123456789abcdef";
  std::string result = "'";
  const std::string_view shown = text.substr(0, kLongest);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto byte = static_cast<unsigned char>(shown[i]);
    if (shown[i] == '\\') {
      result += "\\\\";
    } else if (byte >= 0x20 && byte < 0x7f) {
      result += shown[i];
    } else if (const std::size_t length = letter_length(shown.substr(i)); length > 0) {
      result += shown.substr(i, length);
      i += length - 1;
    } else {
      result += "\\x";
      result += kHex[byte >> 4];
      result += kHex[byte & 15];
    }
  }
  if (text.size() > kLongest) result += "...";
  return result += "'";
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    valid += length > 0 ? text.substr(0, length) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(length > 0 ? length : 1);
  }
  return valid;
}

Error no_example() { return Error{ErrorCode::kInvalidInput, "this record holds no example to reveal"}; }

}  // namespace glimpse
