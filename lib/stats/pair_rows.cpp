#include "stats/pair_rows.h"

#include <algorithm>

#include "stats/pair_vectors.h"

namespace glimpse {

namespace {

constexpr std::size_t kLine = 64;        // bytes
constexpr std::size_t kVisitsAhead = 3;  // whose values are fetched
constexpr std::size_t kLanes = 4;        // cells at a time

static_assert(SeenValues::kBehind + 1 >= kLanes);

// Attribute i as a group's examples have it: w·u_i of each.
struct FirstOfGroup {
  const double* weights;
  double weighted[SeenGroup::kMostTogether];
};

// The cells of `first` with the attributes from `second` on, up to kLanes of them; those of none are zeros.
struct Cells {
  Cells(PairSums* row, std::size_t i, const SeenAttribute* second, std::size_t there) {
    for (std::size_t l = 0; l < kLanes; ++l) cell[l] = l < there ? row + (second[l] - i - 1) : &none;
  }
  PairSums none{};
  PairSums* cell[kLanes];
};

// One cell after another.
__attribute__((always_inline)) inline void add_cells(const Cells& cells, const FirstOfGroup& first,
                                                     const double* u, std::size_t seen, std::size_t examples,
                                                     const Two* /*form*/) {
  for (std::size_t l = 0; l < kLanes; ++l) {
    PairSums sums = *cells.cell[l];
    for (std::size_t m = 0; m < examples; ++m) {
      Two vector;
      set_first(vector, first.weights[m], first.weighted[m]);
      add_cell(&sums, vector, u[m * seen + l]);
    }
    *cells.cell[l] = sums;
  }
}

// Four cells in columns: (weight, first, second, product) of each become four weights, four firsts, …
__attribute__((always_inline)) inline void turn(Four& a, Four& b, Four& c, Four& d) {
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const Four ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Four cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

using FourAnywhere = double __attribute__((vector_size(32), may_alias, aligned(8)));

__attribute__((always_inline)) inline void add_cells(const Cells& cells, const FirstOfGroup& first,
                                                     const double* u, std::size_t seen, std::size_t examples,
                                                     const Four* /*form*/) {
  const auto at = [&](std::size_t l) { return reinterpret_cast<Four*>(cells.cell[l]); };
  Four weight = *at(0);
  Four sum_i = *at(1);
  Four sum_j = *at(2);
  Four product = *at(3);
  turn(weight, sum_i, sum_j, product);
  for (std::size_t m = 0; m < examples; ++m) {
    const Four u_j = *reinterpret_cast<const FourAnywhere*>(u + m * seen);
    const double w = first.weights[m];
    const double weighted = first.weighted[m];
    weight += Four{w, w, w, w};
    sum_i += Four{weighted, weighted, weighted, weighted};
    sum_j += Four{w, w, w, w} * u_j;
    product += Four{weighted, weighted, weighted, weighted} * u_j;
  }
  turn(weight, sum_i, sum_j, product);
  *at(0) = weight;
  *at(1) = sum_i;
  *at(2) = sum_j;
  *at(3) = product;
}

// Row i, whose attribute is the entry `entry` of a group.
template <class Vector>
__attribute__((always_inline)) inline void add_visit(PairSums* row, std::size_t i, std::uint32_t entry,
                                                     const SeenGroup& group, const SeenValues& seen) {
  const std::size_t count = group.seen();
  const std::size_t own = entry - group.begin;
  const double* const u = seen.u + group.values;
  const SeenAttribute* const attributes = seen.attributes + group.begin;
  FirstOfGroup first;
  first.weights = seen.weights + group.weights;
  if (group.examples == 1) {
    Vector vector;
    set_first(vector, first.weights[0], first.weights[0] * u[own]);
    for (std::size_t b = own + 1; b < count; ++b) add_cell(row + (attributes[b] - i - 1), vector, u[b]);
    return;
  }
  for (std::size_t m = 0; m < group.examples; ++m) first.weighted[m] = first.weights[m] * u[m * count + own];
  for (std::size_t b = own + 1; b < count; b += kLanes)
    add_cells(Cells(row, i, attributes + b, count - b), first, u + b, count, group.examples,
              static_cast<const Vector*>(nullptr));
}

template <class Vector>
__attribute__((always_inline)) inline void add_visits(PairSums* row, std::size_t i, std::size_t cells,
                                                      std::span<const RowVisit> visits,
                                                      const SeenValues& seen) {
  const char* next_row = reinterpret_cast<const char*>(row + cells);
  const std::size_t lines = cells * sizeof(PairSums) / kLine / visits.size() + 1;  // of it for each visit
  for (std::size_t v = 0; v < visits.size(); ++v) {
    const auto [first, group] = visits[v];
    if (v + kVisitsAhead < visits.size()) {
      const std::uint32_t later = visits[v + kVisitsAhead].first;
      const SeenGroup& there = seen.groups[visits[v + kVisitsAhead].group];
      const double* const u = seen.u + there.values + (later - there.begin);
      __builtin_prefetch(seen.attributes + later);
      __builtin_prefetch(u);
      __builtin_prefetch(u + 8);
      __builtin_prefetch(u + 16);
    }
    for (std::size_t l = 0; l < lines; ++l, next_row += kLine) __builtin_prefetch(next_row, 1, 2);
    add_visit<Vector>(row, i, first, seen.groups[group], seen);
  }
}

// Inlined always: of a function that only fetches compilers think that it does nothing.
__attribute__((always_inline)) inline void fetch_row(PairSums* pairs, std::size_t dimension,
                                                     const SeenGroup& group, const SeenAttribute* attributes,
                                                     std::uint32_t entry) {
  const std::size_t row = pair_row(attributes[entry], dimension);
  for (std::uint32_t b = entry + 1; b < group.end; ++b)
    __builtin_prefetch(pairs + (row + attributes[b]), 1, 2);
}

template <class Vector>
__attribute__((always_inline)) inline void add_all(PairSums* pairs, std::size_t dimension,
                                                   const SeenGroup& group, const SeenValues& seen) {
  const SeenAttribute* const attributes = seen.attributes;
  fetch_row(pairs, dimension, group, attributes, group.begin);
  for (std::uint32_t entry = group.begin; entry + 1 < group.end; ++entry) {
    fetch_row(pairs, dimension, group, attributes, entry + 1);
    const std::size_t i = attributes[entry];
    add_visit<Vector>(pairs + (pair_row(i, dimension) + i + 1), i, entry, group, seen);
  }
}

void row_plain(PairSums* row, std::size_t i, std::size_t cells, std::span<const RowVisit> visits,
               const SeenValues& seen) {
  add_visits<Two>(row, i, cells, visits, seen);
}
void group_plain(PairSums* pairs, std::size_t dimension, const SeenGroup& group, const SeenValues& seen) {
  add_all<Two>(pairs, dimension, group, seen);
}

#if defined(__x86_64__)
__attribute__((target("avx"))) void row_avx(PairSums* row, std::size_t i, std::size_t cells,
                                            std::span<const RowVisit> visits, const SeenValues& seen) {
  add_visits<Four>(row, i, cells, visits, seen);
}
__attribute__((target("avx"))) void group_avx(PairSums* pairs, std::size_t dimension, const SeenGroup& group,
                                              const SeenValues& seen) {
  add_all<Four>(pairs, dimension, group, seen);
}
#endif

}  // namespace

AddToRow plain_add_to_row() { return row_plain; }
AddGroup plain_add_group() { return group_plain; }

AddToRow fastest_add_to_row() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) return row_avx;
#endif
  return row_plain;
}

AddGroup fastest_add_group() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) return group_avx;
#endif
  return group_plain;
}

}  // namespace glimpse
