#pragma once

#include <cstddef>
#include <string_view>

namespace glimpse {

/// How often `delimiter` occurs in `text`.
std::size_t count_delimiters(std::string_view text, char delimiter);

/// The place behind the n-th `delimiter` in [at, end), n ≥ 1; nullptr when there are fewer. n = 0 gives `at`
/// itself.
const char* behind_delimiter(const char* at, const char* end, char delimiter, std::size_t n);

}  // namespace glimpse
