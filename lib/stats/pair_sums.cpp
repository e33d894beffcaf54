#include "stats/pair_sums.h"

#include "stats/pair_vectors.h"

namespace glimpse {

namespace {

constexpr std::size_t kRows = 4;

// Attribute j joins attributes whose rows and vectors these are.
template <std::size_t kCount, class Vector>
__attribute__((always_inline)) inline void join(PairSums* pairs, const std::size_t (&rows)[kRows],
                                                const Vector (&firsts)[kRows], Attribute j, double u) {
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kCount; ++r) add_cell(&pairs[rows[r] + j], firsts[r], u);
}

template <class Vector>
__attribute__((always_inline)) inline void add_rows(PairSums* pairs, std::size_t dimension,
                                                    std::span<const Attribute> attributes,
                                                    std::span<const double> u, double weight) {
  const std::size_t count = attributes.size();
  for (std::size_t a = 0; a < count; a += kRows) {
    const std::size_t here = count - a < kRows ? count - a : kRows;
    std::size_t rows[kRows] = {};
    Vector firsts[kRows] = {};
    for (std::size_t r = 0; r < here; ++r) {
      rows[r] = pair_row(attributes[a + r], dimension);
      set_first(firsts[r], weight, weight * u[a + r]);
    }
    // The corner, where the rows begin one after another.
    if (here > 1) join<1>(pairs, rows, firsts, attributes[a + 1], u[a + 1]);
    if (here > 2) join<2>(pairs, rows, firsts, attributes[a + 2], u[a + 2]);
    if (here > 3) join<3>(pairs, rows, firsts, attributes[a + 3], u[a + 3]);
    for (std::size_t b = a + kRows; b < count; ++b) join<kRows>(pairs, rows, firsts, attributes[b], u[b]);
  }
}

void add_plain(PairSums* pairs, std::size_t dimension, std::span<const Attribute> attributes,
               std::span<const double> u, double weight) {
  add_rows<Two>(pairs, dimension, attributes, u, weight);
}

#if defined(__x86_64__)
__attribute__((target("avx"))) void add_avx(PairSums* pairs, std::size_t dimension,
                                            std::span<const Attribute> attributes, std::span<const double> u,
                                            double weight) {
  add_rows<Four>(pairs, dimension, attributes, u, weight);
}
#endif

}  // namespace

AddToPairs plain_add_to_pairs() { return add_plain; }

AddToPairs fastest_add_to_pairs() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) return add_avx;
#endif
  return add_plain;
}

}  // namespace glimpse
