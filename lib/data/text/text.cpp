#include "data/text/text.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/command_line.h"
#include "data/text/encoding.h"
#include "data/text/shell_words.h"

namespace glimpse {

bool is_blank_or_comment(std::string_view record) {
  if (!record.empty() && record.front() == '#') return true;
  return skip_blanks(record.data(), record.data() + record.size()) == record.data() + record.size();
}

std::string as_argument(std::string_view name) {
  if (name.find(',') == std::string_view::npos) return shell_argument(name);
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return shell_argument(quoted + '"');
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  constexpr char kHex[] = "0123456789abcdef";
  std::string result = "'";
  std::size_t i = 0;
  while (i < text.size()) {
    const Character character = first_character(text.substr(i));
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    if (i + length > kLongest) break;
    const std::string_view bytes = text.substr(i, length);
    i += length;
    if (bytes == "\\") {
      result += "\\\\";
    } else if (character.kind == Character::Kind::kSeen) {
      result += bytes;
    } else {
      for (const char byte : bytes) {
        result += "\\x";
        result += kHex[static_cast<unsigned char>(byte) >> 4];
        result += kHex[static_cast<unsigned char>(byte) & 15];
      }
    }
  }
  if (i < text.size()) result += "...";
  return result += "'";
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t length = first_character(text).length;
    valid += length > 0 ? text.substr(0, length) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(length > 0 ? length : 1);
  }
  return valid;
}

Error no_example() { return Error{ErrorCode::kInvalidInput, "this record holds no example to reveal"}; }

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

Status check_source_name(std::string_view what, std::string_view name) {
  constexpr std::string_view kConstraint = "printable ASCII characters without blanks and '='";
  if (name.empty() || name.size() > kMostSourceName)
    return failure(ErrorCode::kInvalidInput, "{} {} has {} characters; a name has 1 to {}, {}", what,
                   in_quotes(name), name.size(), kMostSourceName, kConstraint);
  const auto* const bad =
      std::find_if(name.begin(), name.end(), [](char c) { return c <= ' ' || c > '~' || c == '='; });
  if (bad != name.end())
    return failure(ErrorCode::kInvalidInput, "{} {}: character {} cannot be in a name, which has {}", what,
                   in_quotes(name), bad - name.begin() + 1, kConstraint);
  return {};
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? std::string() : fmt::format("; did you mean {}?", in_quotes(nearest));
}

}  // namespace glimpse
