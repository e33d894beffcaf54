#include "data/text.h"

namespace glimpse {

bool is_blank_or_comment(std::string_view record) {
  if (!record.empty() && record.front() == '#') return true;
  return skip_blanks(record.data(), record.data() + record.size()) == record.data() + record.size();
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  constexpr char kHex[] = "0123456789abcdef";
  std::string result = "'";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      result += "\\\\";
    } else if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += "\\x";
      result += kHex[byte >> 4];
      result += kHex[byte & 15];
    }
  }
  if (text.size() > kLongest) result += "...";
  return result += "'";
}

Error no_example() { return Error{ErrorCode::kInvalidInput, "this record holds no example to reveal"}; }

}  // namespace glimpse
