#pragma once

#include <type_traits>

#include "stats/pair_sums.h"

namespace glimpse {

// A cell of PairSums as vectors, for the loops that add to many. GCC and Clang.

static_assert(sizeof(PairSums) == 32 && std::is_trivially_copyable_v<PairSums>);

using Two = double __attribute__((vector_size(16), may_alias));
using Four = double __attribute__((vector_size(32), may_alias));
using Eight = double __attribute__((vector_size(64), may_alias));

/// What attribute i brings to its cells …
__attribute__((always_inline)) inline void set_first(Two& first, double weight, double weighted) {
  first = Two{weight, weighted};
}
__attribute__((always_inline)) inline void set_first(Four& first, double weight, double weighted) {
  first = Four{weight, weighted, weight, weighted};
}
/// … and attribute j, to the one that they share.
__attribute__((always_inline)) inline void add_cell(PairSums* cell, const Two& first, double u) {
  Two* const halves = reinterpret_cast<Two*>(cell);
  halves[0] += first;
  halves[1] += first * Two{u, u};
}
__attribute__((always_inline)) inline void add_cell(PairSums* cell, const Four& first, double u) {
  *reinterpret_cast<Four*>(cell) += first * Four{1, 1, u, u};
}

}  // namespace glimpse
