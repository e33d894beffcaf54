#pragma once

#include <cstdint>
#include <string_view>

#include "data/records/attribute_names.h"

namespace glimpse {

/// An Error (kInvalidInput) where `digits`, which say the number `index`, are the name of another attribute,
/// as in a table whose columns are called 1, 2, 3: either attribute could be meant.
Status check_number(const AttributeNames& names, std::string_view digits, std::uint64_t index);

}  // namespace glimpse
