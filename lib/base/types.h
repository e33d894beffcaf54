#pragma once

#include <cstdint>

namespace glimpse {

/// The index of an attribute, counted from 0 inside glimpse whatever a file format counts from.
using Attribute = std::uint32_t;

}  // namespace glimpse
