#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace glimpse {

inline constexpr std::size_t kMostSourceName = 128;  ///< characters

/// Whether `name` can be a source's: 1 to kMostSourceName printable ASCII characters without blanks and '='.
/// An Error (kInvalidInput) says where it is not; `what` begins the message.
Status check_source_name(std::string_view what, std::string_view name);

}  // namespace glimpse
