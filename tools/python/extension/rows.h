#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/types.h"

namespace glimpse::python {

/// Examples that somebody else keeps in memory, a row each. Nothing is copied: single cells are read. T:
/// float or double. Strides are in elements, so that arrays in either order, and parts of arrays, are read
/// where they lie.
template <class T>
struct Matrix {
  const T* data = nullptr;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;

  const T* cell(std::size_t row, std::size_t column) const {
    return data + static_cast<std::ptrdiff_t>(row) * row_stride +
           static_cast<std::ptrdiff_t>(column) * column_stride;
  }
  double number(std::size_t row, std::size_t column) const { return static_cast<double>(*cell(row, column)); }
  const std::string* word(std::size_t, std::size_t) const { return nullptr; }
  void prefetch(std::size_t row, std::span<const Attribute> attributes) const {
    if (row >= rows) return;
    for (const Attribute a : attributes) __builtin_prefetch(cell(row, a));
  }
};

/// A column of words: of each row the place of its word among `words`, below 0: missing.
struct WordColumn {
  const std::int32_t* codes = nullptr;
  std::ptrdiff_t stride = 0;
  std::vector<std::string> words;
};

/// The same of columns that lie apart, numbers or words.
struct Table {
  std::vector<std::variant<Matrix<float>, Matrix<double>, WordColumn>> parts;
  std::size_t rows = 0;
  std::size_t columns = 0;

  /// Of a word NaN.
  double number(std::size_t row, std::size_t column) const {
    if (const auto* doubles = std::get_if<Matrix<double>>(&parts[column])) return doubles->number(row, 0);
    if (const auto* floats = std::get_if<Matrix<float>>(&parts[column])) return floats->number(row, 0);
    return std::numeric_limits<double>::quiet_NaN();
  }
  /// nullptr: it is a number, or missing.
  const std::string* word(std::size_t row, std::size_t column) const {
    const auto* column_of_words = std::get_if<WordColumn>(&parts[column]);
    if (column_of_words == nullptr) return nullptr;
    const std::int32_t code =
        column_of_words->codes[static_cast<std::ptrdiff_t>(row) * column_of_words->stride];
    return code < 0 ? nullptr : &column_of_words->words[static_cast<std::size_t>(code)];
  }
  bool holds_words(std::size_t column) const { return std::holds_alternative<WordColumn>(parts[column]); }
  void prefetch(std::size_t, std::span<const Attribute>) const {}
};

using Rows = std::variant<Matrix<float>, Matrix<double>, Table>;

inline std::size_t rows_of(const Rows& rows) {
  return std::visit([](const auto& r) { return r.rows; }, rows);
}
inline std::size_t columns_of(const Rows& rows) {
  return std::visit([](const auto& r) { return r.columns; }, rows);
}

/// The place of a cell.
struct Place {
  std::size_t row = 0;
  std::size_t column = 0;
};

/// The first infinite number, row by row; none. One look at every number.
std::optional<Place> find_infinite(const Rows& rows);

}  // namespace glimpse::python
