#include "rows.h"

#include <type_traits>
#include <utility>

namespace glimpse::python {

namespace {

// All bits of the exponent and no other, whatever the sign. Integers, so that the loop is of vectors.
template <class T>
[[gnu::always_inline]] inline bool any_infinite(const T* numbers, std::size_t count) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  constexpr Bits kInfinite = std::bit_cast<Bits>(std::numeric_limits<T>::infinity()) << 1;
  Bits found = 0;
  for (std::size_t i = 0; i < count; ++i)
    found |= std::bit_cast<Bits>(numbers[i]) << 1 == kInfinite ? 1U : 0U;
  return found != 0;
}

// Memory is asked for two pages ahead, as the processor by itself does not go beyond the end of one.
template <class T>
[[gnu::always_inline]] inline bool any_infinite_ahead(const T* numbers, std::size_t count) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  constexpr std::size_t kBlock = 16 * kLine;
  constexpr std::size_t kAhead = 8192 / sizeof(T);
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    for (std::size_t line = 0; line < kBlock; line += kLine)
      if (i + line + kAhead < count) __builtin_prefetch(numbers + i + line + kAhead);
    if (any_infinite(numbers + i, kBlock)) return true;
  }
  return any_infinite(numbers + i, count - i);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) bool has_infinite_avx2(const float* numbers, std::size_t count) {
  return any_infinite_ahead(numbers, count);
}
__attribute__((target("avx2"))) bool has_infinite_avx2(const double* numbers, std::size_t count) {
  return any_infinite_ahead(numbers, count);
}
#endif

template <class T>
bool has_infinite(const T* numbers, std::size_t count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return has_infinite_avx2(numbers, count);
#endif
  return any_infinite_ahead(numbers, count);
}

template <class T>
std::optional<Place> find_in(const Matrix<T>& matrix) {
  const bool is_c = matrix.column_stride == 1 || matrix.columns < 2;
  const bool is_f = matrix.row_stride == 1 || matrix.rows < 2;
  const bool is_whole = (is_c && std::cmp_equal(matrix.row_stride, matrix.columns)) ||
                        (is_f && std::cmp_equal(matrix.column_stride, matrix.rows));
  if (is_whole && !has_infinite(matrix.data, matrix.rows * matrix.columns)) return std::nullopt;
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
