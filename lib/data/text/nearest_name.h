#pragma once

#include <span>
#include <string>
#include <string_view>

namespace glimpse {

/// The known name that is most like `name`, whatever its case; empty: none is like it. Empty names are none.
/// O(names), of which the first 1,000 are looked at.
std::string nearest_name(std::string_view name, std::span<const std::string_view> known);

/// "; did you mean 'age'?", or nothing where no known name is like it: the end of an error message.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

}  // namespace glimpse
