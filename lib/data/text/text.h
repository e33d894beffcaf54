#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// What may stand between the fields of a line. Every text format knows these and no other.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The first place in [at, end) that is not blank, or that is.
inline const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}
inline const char* find_blank(const char* at, const char* end) {
  while (at != end && !is_blank(*at)) ++at;
  return at;
}

inline std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// `text` without the blanks around it.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// `text` without the byte order mark of UTF-8 that some programs write at the beginning of files.
inline std::string_view without_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

/// Lines that carry no example in any text format: blank ones, and those that begin with '#'.
bool is_blank_or_comment(std::string_view record);

/// `text` as an error message may show it, even from a stranger: in single quotes, at most 40 bytes of it,
/// cut behind a character. UTF-8 stays as it is; bytes of hidden characters, of blanks other than ASCII's and
/// of no character stand as \xNN.
std::string in_quotes(std::string_view text);

/// `text` as somebody types it behind an option: " temp", or "=#3", where a shell begins no comment.
std::string as_argument(std::string_view text);

/// `text` with U+FFFD in place of every byte that is no part of valid UTF-8: what JSON may hold.
std::string valid_utf8(std::string_view text);

/// For readers asked to reveal where open() failed or found no example.
Error no_example();

/// `text` with everything that could steer a terminal or end a line made visible as \xNN. Names of files,
/// attributes and sources come from others, who must not write to a log or an operator's screen what they
/// like.
std::string printable(std::string_view text);

inline constexpr std::size_t kMostSourceName = 128;  ///< characters

/// Whether `name` can be a source's: 1 to kMostSourceName printable ASCII characters without blanks and '='.
/// An Error (kInvalidInput) says where it is not; `what` begins the message.
Status check_source_name(std::string_view what, std::string_view name);

/// "; did you mean 'age'?", the nearest_name(), or nothing where no known name is like it: the end of an
/// error message.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

}  // namespace glimpse
