#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glimpse {

/// What a text begins with.
struct Character {
  enum class Kind {
    kSeen,    ///< it is seen as it is, or joins what is seen
    kBlank,   ///< a blank other than ASCII's, as one that does not break
    kHidden,  ///< a control character, a mark of direction, or what has no width and joins nothing
  };
  std::size_t length = 0;  ///< bytes; 0: it is no UTF-8, and hidden
  Kind kind = Kind::kHidden;
};
/// Of `text`, which is not empty. O(1).
Character first_character(std::string_view text);

/// Whether all of `text` is well-formed UTF-8, NUL included, as strings of JSON are. O(size); eight bytes at
/// a time where these are ASCII.
bool is_utf8(std::string_view text);

/// The encoding of the text of an input.
enum class Encoding : std::uint8_t { kUtf8, kUtf16Le, kUtf16Be, kWindows1252, kLatin1 };

/// "utf-8", "utf-16le", "utf-16be", "windows-1252", "latin-1".
std::string_view name_of(Encoding encoding);
/// Of name_of(); nothing of another word.
std::optional<Encoding> encoding_of(std::string_view name);

/// The encoding that a sample of text is in, by its byte order mark, by zeros beside ASCII, and by whether it
/// is valid UTF-8. A byte of 0x80 to 0x9f in text that is not UTF-8 makes it Windows-1252. A character that
/// the end of the sample cuts is not held against UTF-8. Cost: one pass.
Encoding detect_encoding(std::string_view sample);

/// The bytes of the byte order mark in front of `text`; 0 without one.
std::size_t mark_length(std::string_view text, Encoding encoding);

/// The bytes of `text`, which goes on behind its end, that append_as_utf8() may be given now: in UTF-16 all
/// but half a character, or the first of two halves, at the end.
std::size_t whole_characters(std::string_view text, Encoding encoding);

/// Appends `text`, which is in `encoding`, as UTF-8. What is no character becomes U+FFFD, and so does a last
/// character that is cut. UTF-8 is appended as it is.
void append_as_utf8(std::string_view text, Encoding encoding, std::string& to);

}  // namespace glimpse
