#pragma once

#include <string_view>

namespace glimpse {

// describe() writes options as lines, `name=value` each.

/// The line of `text` that begins with `key`, "name="; empty: none.
std::string_view line_of(std::string_view text, std::string_view key);

/// The first line of `text` that `other` has not; empty: none.
std::string_view line_without_match(std::string_view text, std::string_view other);

}  // namespace glimpse
