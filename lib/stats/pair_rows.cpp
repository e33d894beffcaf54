#include "stats/pair_rows.h"

#include <cstring>

#include "stats/pair_vectors.h"

namespace glimpse {

namespace {

constexpr std::size_t kLine = 64;        // bytes
constexpr std::size_t kVisitsAhead = 3;  // whose values are fetched

// Attribute i as a group's examples have it: w·u_i of each.
struct FirstOfGroup {
  const double* weights;
  double weighted[SeenGroup::kMostTogether];
};

// What a processor has: with which vectors the cells of one example are added, and how many cells of a group
// at a time.
struct OfAny {
  using OfOne = Two;
  static constexpr std::size_t kLanes = 4;
};
struct Avx {
  using OfOne = Four;
  static constexpr std::size_t kLanes = 4;
};
struct Avx512 {
  using OfOne = Four;
  static constexpr std::size_t kLanes = 8;
};
static_assert(SeenValues::kBehind + 1 >= Avx512::kLanes);

// The cells of `first` with the attributes from `second` on, up to kLanes of them; those of none are zeros.
template <std::size_t kLanes>
struct Cells {
  Cells(PairSums* row, std::size_t i, const SeenAttribute* second, std::size_t there) {
    for (std::size_t l = 0; l < kLanes; ++l) cell[l] = l < there ? row + (second[l] - i - 1) : &none;
  }
  Four* at(std::size_t l) const { return reinterpret_cast<Four*>(cell[l]); }
  PairSums none{};
  PairSums* cell[kLanes];
};

// One cell after another.
__attribute__((always_inline)) inline void add_cells(const Cells<4>& cells, const FirstOfGroup& first,
                                                     const double* u, std::size_t seen, std::size_t examples,
                                                     OfAny) {
  for (std::size_t l = 0; l < 4; ++l) {
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
// Twice four.
__attribute__((always_inline)) inline void turn(Eight& a, Eight& b, Eight& c, Eight& d) {
  const Eight ab_low = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
  const Eight ab_high = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  const Eight cd_low = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
  const Eight cd_high = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13);
  b = __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13);
  c = __builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15);
}

__attribute__((always_inline)) inline void add_cells(const Cells<4>& cells, const FirstOfGroup& first,
                                                     const double* u, std::size_t seen, std::size_t examples,
                                                     Avx) {
  Four weight = *cells.at(0);
  Four sum_i = *cells.at(1);
  Four sum_j = *cells.at(2);
  Four product = *cells.at(3);
  turn(weight, sum_i, sum_j, product);
  for (std::size_t m = 0; m < examples; ++m) {
    Four u_j;
    std::memcpy(&u_j, u + m * seen, sizeof u_j);  // wherever it is
    weight += first.weights[m];
    sum_i += first.weighted[m];
    sum_j += first.weights[m] * u_j;
    product += first.weighted[m] * u_j;
  }
  turn(weight, sum_i, sum_j, product);
  *cells.at(0) = weight;
  *cells.at(1) = sum_i;
  *cells.at(2) = sum_j;
  *cells.at(3) = product;
}

__attribute__((always_inline)) inline void load_two(Eight& both, const Four* low, const Four* high) {
  both = __builtin_shufflevector(*low, *high, 0, 1, 2, 3, 4, 5, 6, 7);
}
__attribute__((always_inline)) inline void store_two(const Eight& both, Four* low, Four* high) {
  *low = __builtin_shufflevector(both, both, 0, 1, 2, 3);
  *high = __builtin_shufflevector(both, both, 4, 5, 6, 7);
}

__attribute__((always_inline)) inline void add_cells(const Cells<8>& cells, const FirstOfGroup& first,
                                                     const double* u, std::size_t seen, std::size_t examples,
                                                     Avx512) {
  Eight weight;
  Eight sum_i;
  Eight sum_j;
  Eight product;
  load_two(weight, cells.at(0), cells.at(4));
  load_two(sum_i, cells.at(1), cells.at(5));
  load_two(sum_j, cells.at(2), cells.at(6));
  load_two(product, cells.at(3), cells.at(7));
  turn(weight, sum_i, sum_j, product);
  for (std::size_t m = 0; m < examples; ++m) {
    Eight u_j;
    std::memcpy(&u_j, u + m * seen, sizeof u_j);
    weight += first.weights[m];
    sum_i += first.weighted[m];
    sum_j += first.weights[m] * u_j;
    product += first.weighted[m] * u_j;
  }
  turn(weight, sum_i, sum_j, product);
  store_two(weight, cells.at(0), cells.at(4));
  store_two(sum_i, cells.at(1), cells.at(5));
  store_two(sum_j, cells.at(2), cells.at(6));
  store_two(product, cells.at(3), cells.at(7));
}

// Row i, whose attribute is the entry `entry` of a group.
template <class Processor>
__attribute__((always_inline)) inline void add_visit(PairSums* row, std::size_t i, std::uint32_t entry,
                                                     const SeenGroup& group, const SeenValues& seen) {
  const std::size_t count = group.seen();
  const std::size_t own = entry - group.begin;
  const double* const u = seen.u + group.values;
  const SeenAttribute* const attributes = seen.attributes + group.begin;
  FirstOfGroup first;
  first.weights = seen.weights + group.weights;
  if (group.examples == 1) {
    typename Processor::OfOne vector;
    set_first(vector, first.weights[0], first.weights[0] * u[own]);
    for (std::size_t b = own + 1; b < count; ++b) add_cell(row + (attributes[b] - i - 1), vector, u[b]);
    return;
  }
  for (std::size_t m = 0; m < group.examples; ++m) first.weighted[m] = first.weights[m] * u[m * count + own];
  constexpr std::size_t kLanes = Processor::kLanes;
  for (std::size_t b = own + 1; b < count; b += kLanes)
    add_cells(Cells<kLanes>(row, i, attributes + b, count - b), first, u + b, count, group.examples,
              Processor());
}

template <class Processor>
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
    add_visit<Processor>(row, i, first, seen.groups[group], seen);
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

template <class Processor>
__attribute__((always_inline)) inline void add_all(PairSums* pairs, std::size_t dimension,
                                                   const SeenGroup& group, const SeenValues& seen) {
  const SeenAttribute* const attributes = seen.attributes;
  fetch_row(pairs, dimension, group, attributes, group.begin);
  for (std::uint32_t entry = group.begin; entry + 1 < group.end; ++entry) {
    fetch_row(pairs, dimension, group, attributes, entry + 1);
    const std::size_t i = attributes[entry];
    add_visit<Processor>(pairs + (pair_row(i, dimension) + i + 1), i, entry, group, seen);
  }
}

void row_plain(PairSums* row, std::size_t i, std::size_t cells, std::span<const RowVisit> visits,
               const SeenValues& seen) {
  add_visits<OfAny>(row, i, cells, visits, seen);
}
void group_plain(PairSums* pairs, std::size_t dimension, const SeenGroup& group, const SeenValues& seen) {
  add_all<OfAny>(pairs, dimension, group, seen);
}

#if defined(__x86_64__)
__attribute__((target("avx"))) void row_avx(PairSums* row, std::size_t i, std::size_t cells,
                                            std::span<const RowVisit> visits, const SeenValues& seen) {
  add_visits<Avx>(row, i, cells, visits, seen);
}
__attribute__((target("avx"))) void group_avx(PairSums* pairs, std::size_t dimension, const SeenGroup& group,
                                              const SeenValues& seen) {
  add_all<Avx>(pairs, dimension, group, seen);
}
__attribute__((target("avx512f"))) void row_avx512(PairSums* row, std::size_t i, std::size_t cells,
                                                   std::span<const RowVisit> visits, const SeenValues& seen) {
  add_visits<Avx512>(row, i, cells, visits, seen);
}
__attribute__((target("avx512f"))) void group_avx512(PairSums* pairs, std::size_t dimension,
                                                     const SeenGroup& group, const SeenValues& seen) {
  add_all<Avx512>(pairs, dimension, group, seen);
}
#endif

}  // namespace

std::vector<AddToRow> all_add_to_row() {
  std::vector<AddToRow> all{row_plain};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) all.push_back(row_avx);
  if (__builtin_cpu_supports("avx512f")) all.push_back(row_avx512);
#endif
  return all;
}

std::vector<AddGroup> all_add_group() {
  std::vector<AddGroup> all{group_plain};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) all.push_back(group_avx);
  if (__builtin_cpu_supports("avx512f")) all.push_back(group_avx512);
#endif
  return all;
}

AddToRow fastest_add_to_row() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return row_avx512;
  if (__builtin_cpu_supports("avx")) return row_avx;
#endif
  return row_plain;
}

AddGroup fastest_add_group() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return group_avx512;
  if (__builtin_cpu_supports("avx")) return group_avx;
#endif
  return group_plain;
}

}  // namespace glimpse
