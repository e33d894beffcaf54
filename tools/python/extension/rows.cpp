#include "rows.h"

namespace glimpse::python {

namespace {

// All bits of the exponent and no other, whatever the sign. Integers, so that the loop is of vectors.
bool has_infinite(const float* row, std::size_t count) {
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < count; ++i)
    found |= (std::bit_cast<std::uint32_t>(row[i]) & 0x7fffffffU) == 0x7f800000U ? 1U : 0U;
  return found != 0;
}
bool has_infinite(const double* row, std::size_t count) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < count; ++i)
    found |= (std::bit_cast<std::uint64_t>(row[i]) << 1) == 0xffe0000000000000U ? 1U : 0U;
  return found != 0;
}

template <class T>
std::optional<Place> find_in(const Matrix<T>& matrix) {
  const bool is_c = matrix.column_stride == 1 || matrix.columns < 2;
  const bool is_f = matrix.row_stride == 1 || matrix.rows < 2;
  if (is_c) {
    for (std::size_t r = 0; r < matrix.rows; ++r)
      if (has_infinite(matrix.cell(r, 0), matrix.columns))
        for (std::size_t c = 0; c < matrix.columns; ++c)
          if (std::isinf(*matrix.cell(r, c))) return Place{r, c};
    return std::nullopt;
  }
  for (std::size_t c = 0; c < matrix.columns; ++c)
    if (!is_f || has_infinite(matrix.cell(0, c), matrix.rows))
      for (std::size_t r = 0; r < matrix.rows; ++r)
        if (std::isinf(*matrix.cell(r, c))) return Place{r, c};
  return std::nullopt;
}

std::optional<Place> find_in(const Table& table) {
  for (std::size_t c = 0; c < table.columns; ++c)
    for (std::size_t r = 0; r < table.rows && !table.holds_words(c); ++r)
      if (std::isinf(table.number(r, c))) return Place{r, c};
  return std::nullopt;
}

}  // namespace

std::optional<Place> find_infinite(const Rows& rows) {
  return std::visit([](const auto& r) { return find_in(r); }, rows);
}

}  // namespace glimpse::python
