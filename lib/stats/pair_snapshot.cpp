#include "stats/pair_snapshot.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glimpse {

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

void PairSnapshot::begin(const PairMoments& moments, bool centred) {
  const std::size_t d = moments.dimension();
  if (attributes_.size() != d) cells_ = LargeArray<Cell>(d * (d - 1) / 2);
  attributes_.resize(d);
  centre_.resize(d);
  unit_.resize(d);
  for (std::size_t i = 0; i < d; ++i) {
    attributes_[i] = moments[i];
    centre_[i] = centred ? attributes_[i].mean() : 0;
    unit_[i] = unit_of(attributes_[i], centre_[i]);
  }
  label_ = moments.label();
  label_centre_ = centred ? label_.mean() : 0;
  next_row_ = 0;
}

bool PairSnapshot::copy(const PairMoments& moments, std::size_t bytes) {
  const std::size_t d = dimension();
  for (std::size_t copied = 0; next_row_ + 1 < d && copied < bytes; ++next_row_) {
    copy_row(moments, next_row_);
    copied += (d - next_row_ - 1) * sizeof(Cell);
  }
  return next_row_ + 1 >= d;
}

void PairSnapshot::take(const PairMoments& moments, bool centred) {
  begin(moments, centred);
  copy(moments, std::numeric_limits<std::size_t>::max());
}

// The one place that reads pairs.
void PairSnapshot::copy_row(const PairMoments& moments, std::size_t i) {
  const std::size_t d = dimension();
  Cell* cell = cells_.data() + (row(i) + i + 1);
  const double inverse = 1 / unit_[i];
  for (std::size_t j = i + 1; j < d; ++j, ++cell) {
    const double weight = moments.pair(i, j).weight;
    if (!(weight > 0)) {
      *cell = {};
      continue;
    }
    const double covariance = moments.co_moment(i, j, centre_[i], centre_[j]) / weight;
    *cell = {to_float(weight), to_float(covariance * inverse / unit_[j])};
  }
}

double PairSnapshot::label_co_moment(std::size_t i, std::size_t half) const {
  const AttributeSums::Half& s = attributes_[i].halves[half];
  const double dx = centre_[i] - attributes_[i].reference;
  const double dy = label_centre_ - label_.reference;
  return s.product - dy * s.sum - dx * s.label + s.weight * dx * dy;
}

}  // namespace glimpse
