#pragma once

#include <cstddef>
#include <fmt/format.h>
#include <string>

namespace glimpse {

/// Attributes that are the pixels of a picture, row by row: attribute number = row · columns + column.
struct AttributeGrid {
  std::size_t columns = 0;
  std::size_t rows = 0;

  std::size_t cells() const { return columns * rows; }
  std::string text() const { return fmt::format("{}x{}", columns, rows); }
  bool operator==(const AttributeGrid&) const = default;
};

}  // namespace glimpse
