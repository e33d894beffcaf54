#include "stats/snapshot_row.h"

#include <cstddef>
#include <cstring>
#include <limits>

#include "stats/pair_vectors.h"

namespace glimpse {

namespace {

using FourFloats = float __attribute__((vector_size(16)));

__attribute__((always_inline)) inline void load(Four& v, const double* from) {
  std::memcpy(&v, from, sizeof v);
}

__attribute__((always_inline)) inline void write(const Four& numbers, float* to) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  constexpr Four kMost{kLargest, kLargest, kLargest, kLargest};
  Four values = numbers < -kMost ? -kMost : numbers;
  values = values > kMost ? kMost : values;
  const FourFloats floats = __builtin_convertvector(values, FourFloats);
  std::memcpy(to, &floats, sizeof floats);
}

// Of four pairs.
__attribute__((always_inline)) inline void copy_four(const PairSums* pairs, const SnapshotRow& row,
                                                     const double* offsets, const double* inverse_units,
                                                     float* weights, float* covariances) {
  const Four* const cells = reinterpret_cast<const Four*>(pairs);
  const Four even_01 = __builtin_shufflevector(cells[0], cells[1], 0, 4, 2, 6);
  const Four even_23 = __builtin_shufflevector(cells[2], cells[3], 0, 4, 2, 6);
  const Four odd_01 = __builtin_shufflevector(cells[0], cells[1], 1, 5, 3, 7);
  const Four odd_23 = __builtin_shufflevector(cells[2], cells[3], 1, 5, 3, 7);
  const Four sum = __builtin_shufflevector(even_01, even_23, 0, 1, 4, 5);
  const Four second = __builtin_shufflevector(even_01, even_23, 2, 3, 6, 7);
  const Four first = __builtin_shufflevector(odd_01, odd_23, 0, 1, 4, 5);
  const Four product = __builtin_shufflevector(odd_01, odd_23, 2, 3, 6, 7);
  Four db;
  load(db, offsets);
  Four inverse;
  load(inverse, inverse_units);
  const Four weight = row.scale * sum;
  const Four co_moment = row.scale * (product - db * first - row.offset * second + sum * row.offset * db);
  write(weight, weights);
  write(co_moment / (weight > 0 ? weight : Four{1, 1, 1, 1}) * row.inverse_unit * inverse, covariances);
}

__attribute__((always_inline)) inline void copy(std::span<const PairSums> pairs, const SnapshotRow& row,
                                                float* weights, float* covariances) {
  std::size_t k = 0;
  for (; k + 4 <= pairs.size(); k += 4)
    copy_four(pairs.data() + k, row, row.offsets + k, row.inverse_units + k, weights + k, covariances + k);
  const std::size_t left = pairs.size() - k;
  if (left == 0) return;
  PairSums last[4] = {};
  double offsets[4] = {};
  double inverse_units[4] = {};
  float last_weights[4];
  float last_covariances[4];
  std::memcpy(last, pairs.data() + k, left * sizeof(PairSums));
  std::memcpy(offsets, row.offsets + k, left * sizeof(double));
  std::memcpy(inverse_units, row.inverse_units + k, left * sizeof(double));
  copy_four(last, row, offsets, inverse_units, last_weights, last_covariances);
  std::memcpy(weights + k, last_weights, left * sizeof(float));
  std::memcpy(covariances + k, last_covariances, left * sizeof(float));
}

void copy_plain(std::span<const PairSums> pairs, const SnapshotRow& row, float* weights, float* covariances) {
  copy(pairs, row, weights, covariances);
}

#if defined(__x86_64__)
__attribute__((target("avx"))) void copy_avx(std::span<const PairSums> pairs, const SnapshotRow& row,
                                             float* weights, float* covariances) {
  copy(pairs, row, weights, covariances);
}
#endif

}  // namespace

CopySnapshotRow plain_copy_snapshot_row() { return copy_plain; }

CopySnapshotRow fastest_copy_snapshot_row() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) return copy_avx;
#endif
  return copy_plain;
}

}  // namespace glimpse
