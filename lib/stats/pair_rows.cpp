#include "stats/pair_rows.h"

#include "stats/pair_vectors.h"

namespace glimpse {

namespace {

constexpr std::size_t kLine = 64;        // bytes
constexpr std::size_t kVisitsAhead = 3;  // whose values are fetched

template <class Vector>
__attribute__((always_inline)) inline void add_visits(PairSums* row, std::size_t i, std::size_t cells,
                                                      std::span<const RowVisit> visits,
                                                      const SeenValues& seen) {
  const char* next_row = reinterpret_cast<const char*>(row + cells);
  const std::size_t lines = cells * sizeof(PairSums) / kLine / visits.size() + 1;  // of it for each visit
  for (std::size_t v = 0; v < visits.size(); ++v) {
    const auto [first, example] = visits[v];
    if (v + kVisitsAhead < visits.size()) {
      const std::uint32_t later = visits[v + kVisitsAhead].first;
      __builtin_prefetch(seen.attributes + later);
      __builtin_prefetch(seen.u + later);
      __builtin_prefetch(seen.u + later + 8);
      __builtin_prefetch(seen.u + later + 16);
    }
    for (std::size_t l = 0; l < lines; ++l, next_row += kLine) __builtin_prefetch(next_row, 1, 2);
    const double weight = seen.examples[example].weight;
    const std::uint32_t end = seen.examples[example].end;
    Vector vector;
    set_first(vector, weight, weight * seen.u[first]);
    for (std::uint32_t e = first + 1; e < end; ++e)
      add_cell(row + (seen.attributes[e] - i - 1), vector, seen.u[e]);
  }
}

void add_plain(PairSums* row, std::size_t i, std::size_t cells, std::span<const RowVisit> visits,
               const SeenValues& seen) {
  add_visits<Two>(row, i, cells, visits, seen);
}

#if defined(__x86_64__)
__attribute__((target("avx"))) void add_avx(PairSums* row, std::size_t i, std::size_t cells,
                                            std::span<const RowVisit> visits, const SeenValues& seen) {
  add_visits<Four>(row, i, cells, visits, seen);
}
#endif

}  // namespace

AddToRow plain_add_to_row() { return add_plain; }

AddToRow fastest_add_to_row() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) return add_avx;
#endif
  return add_plain;
}

}  // namespace glimpse
