#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// What an attribute is that an object of JSON does not give.
enum class Absent : std::uint8_t {
  kAuto,     ///< unknown where every attribute has a name, else zero
  kUnknown,  ///< as null: the value is missing
  kZero,     ///< sparse data
};

/// "auto", "unknown", "zero"; anything else is an Error (kInvalidOption) that lists them.
Result<Absent> parse_absent(std::string_view name);
std::string_view name_of(Absent absent);

}  // namespace glimpse
