#include "stats/pair_snapshot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "stats/feature_sums.h"
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

namespace {

// The power of two at or below the attribute's deviation about `centre`; where it has none yet, below its
// largest value, and 1 where that is 0 as well.
double unit_of(const AttributeSums& sums, double centre) {
  const double offset = sums.mean() - centre;
  double size = std::sqrt(sums.variance() + offset * offset);
  if (!(size > 0)) size = sums.largest;
  if (!(size > 0)) return 1;
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1, exponent - 1);
}

// What is beyond a float counts as the largest: a value far out of proportion that came while the copy was
// being made.
float to_float(double value) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kLargest, kLargest));
}

}  // namespace

void PairSnapshot::make_room(std::size_t d) {
  const std::size_t pairs = d * (d - 1) / 2;
  for (LargeArray<float>* const array : {&pairs_.weights, &pairs_.covariances})
    if (array->size() != pairs) *array = LargeArray<float>(pairs);
  attributes_.resize(d);
  centre_.resize(d);
  unit_.resize(d);
  inverse_unit_.resize(d);
  offset_.resize(d);
}

void PairSnapshot::set_centres(bool centred) {
  for (std::size_t i = 0; i < dimension(); ++i) {
    centre_[i] = centred ? attributes_[i].mean() : 0;
    unit_[i] = unit_of(attributes_[i], centre_[i]);
    inverse_unit_[i] = 1 / unit_[i];
  }
  label_centre_ = centred ? label_.mean() : 0;
  centred_ = centred;
}

void PairSnapshot::set_offsets(const PairMoments& moments, std::size_t first) {
  scale_ = evenness_ / moments.unit();
  for (std::size_t i = first; i < dimension(); ++i) offset_[i] = centre_[i] - moments.reference(i);
}

AttributeSums PairSnapshot::sums_of(const PairMoments& moments, std::size_t i) const {
  const AttributeSums sums = features_.is_plain() ? moments[i] : feature_sums(moments, features_, i);
  if (!(evenness_ < 1)) return sums;
  AttributeSums even = sums * evenness_;
  even.largest = sums.largest;
  return even;
}

void PairSnapshot::begin_label(const PairMoments& of, LabelSide& side) const {
  side.attributes.resize(dimension());
  for (std::size_t i = 0; i < dimension(); ++i) side.attributes[i] = sums_of(of, i);
  side.label = of.label() * evenness_;
  side.label_centre = centred_ ? side.label.mean() : 0;
}

void PairSnapshot::exchange(LabelSide& side) {
  std::swap(attributes_, side.attributes);
  std::swap(label_, side.label);
  std::swap(label_centre_, side.label_centre);
}

void PairSnapshot::begin(const PairMoments& moments, bool centred, const FeatureMap& features) {
  features_ = features.is_plain() ? FeatureMap() : features;
  make_room(moments.dimension());
  evenness_ = moments.evenness();
  examples_a_weight_ = moments.examples_a_weight() / evenness_;
  for (std::size_t i = 0; i < dimension(); ++i) attributes_[i] = sums_of(moments, i);
  label_ = moments.label() * evenness_;
  targets_.resize(moments.targets());
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    targets_[t].sums = moments.target(t) * evenness_;
    targets_[t].cells.resize(dimension());
    for (std::size_t i = 0; i < dimension(); ++i)
      targets_[t].cells[i] =
          (features_.is_plain() ? moments.target_cell(i, t) : feature_target(moments, features_, i, t)) *
          evenness_;
  }
  set_centres(centred);
  next_row_ = 0;
}

bool PairSnapshot::copy(const PairMoments& moments, std::size_t bytes) {
  const std::size_t d = dimension();
  // An attribute's reference comes with its first value, so each slice computes the offsets again.
  set_offsets(moments, next_row_);
  for (std::size_t copied = 0; next_row_ + 1 < d && copied < bytes; ++next_row_) {
    if (features_.is_plain())
      copy_row(moments, next_row_);
    else
      copy_features(moments, next_row_);
    copied += (d - next_row_ - 1) * 2 * sizeof(float);
  }
  return next_row_ + 1 >= d;
}

void PairSnapshot::take(const PairMoments& moments, bool centred, const FeatureMap& features) {
  begin(moments, centred, features);
  copy(moments, std::numeric_limits<std::size_t>::max());
}

void PairSnapshot::select(const PairSnapshot& from, std::span<const std::uint32_t> slots,
                          const FeatureMap& features) {
  make_room(slots.size());
  features_ = features;
  evenness_ = from.evenness_;
  examples_a_weight_ = from.examples_a_weight_;
  label_ = from.label_;
  label_centre_ = from.label_centre_;
  centred_ = from.centred_;
  targets_.resize(from.targets_.size());
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    targets_[t].sums = from.targets_[t].sums;
    targets_[t].cells.resize(slots.size());
    for (std::size_t a = 0; a < slots.size(); ++a) targets_[t].cells[a] = from.targets_[t].cells[slots[a]];
  }
  next_row_ = slots.size();
  for (std::size_t a = 0; a < slots.size(); ++a) {
    const std::uint32_t i = slots[a];
    attributes_[a] = from.attributes_[i];
    centre_[a] = from.centre_[i];
    unit_[a] = from.unit_[i];
    for (std::size_t b = a + 1; b < slots.size(); ++b) {
      pairs_.weights[row(a) + b] = from.pairs_.weights[from.row(i) + slots[b]];
      pairs_.covariances[row(a) + b] = from.pairs_.covariances[from.row(i) + slots[b]];
    }
  }
}

void PairSnapshot::leave_out(const std::vector<bool>& out) {
  const std::size_t d = dimension();
  for (std::size_t i = 0; i < d; ++i) {
    if (!out[i]) continue;
    attributes_[i] = AttributeSums();
    for (Target& target : targets_) target.cells[i] = {};
    for (std::size_t j = 0; j < i; ++j) pairs_.weights[row(j) + i] = 0;
    for (std::size_t j = i + 1; j < d; ++j) pairs_.weights[row(i) + j] = 0;
  }
}

void PairSnapshot::copy_features(const PairMoments& moments, std::size_t i) {
  for (std::size_t j = i + 1; j < dimension(); ++j) {
    const PairSums s = feature_pair(moments, features_, i, j);
    const double da = centre_[i] - feature_reference(moments, features_, i);
    const double db = centre_[j] - feature_reference(moments, features_, j);
    const double weight = evenness_ * s.weight;
    const double co_moment = evenness_ * (s.product - db * s.first - da * s.second + s.weight * da * db);
    pairs_.weights[row(i) + j] = to_float(weight);
    pairs_.covariances[row(i) + j] =
        to_float(co_moment / (weight > 0 ? weight : 1) * inverse_unit_[i] * inverse_unit_[j]);
  }
}

void PairSnapshot::copy_row(const PairMoments& moments, std::size_t i) {
  const std::size_t first = i + 1;
  copy_row_(moments.row(i),
            {scale_, offset_[i], inverse_unit_[i], offset_.data() + first, inverse_unit_.data() + first},
            pairs_.weights.data() + (row(i) + first), pairs_.covariances.data() + (row(i) + first));
}

double PairSnapshot::label_co_moment(std::size_t i, std::size_t half) const {
  const AttributeSums::Half& s = attributes_[i].halves[half];
  const double dx = centre_[i] - attributes_[i].reference;
  const double dy = label_centre_ - label_.reference;
  return s.product - dy * s.sum - dx * s.label + s.weight * dx * dy;
}

double PairSnapshot::target_co_moment(std::size_t i, std::size_t half, std::size_t target) const {
  const TargetSums::Cell& cell = targets_[target].cells[i];
  const AttributeSums::Half& s = attributes_[i].halves[half];
  const double dx = centre_[i] - attributes_[i].reference;
  const double dy = target_centre(target) - targets_[target].sums.reference;
  return cell.product[half] - dy * s.sum - dx * cell.label[half] + s.weight * dx * dy;
}

}  // namespace glimpse
