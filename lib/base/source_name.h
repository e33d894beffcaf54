#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse {

inline constexpr std::size_t kMostSourceName = 128;  ///< characters

/// Whether `name` can be a source's: 1 to kMostSourceName printable ASCII characters without blanks and '='.
/// An Error (kInvalidInput) says where it is not; `what` begins the message.
Status check_source_name(std::string_view what, std::string_view name);

/// What came from a stranger, fit for a line of a log: 40 characters at most, none of them a control
/// character.
std::string shown(std::string_view text);

}  // namespace glimpse
