#pragma once

#include <cstddef>
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

}  // namespace glimpse
