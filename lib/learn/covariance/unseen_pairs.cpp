#include "learn/covariance/unseen_pairs.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

double covariance_shrinkage(const AttributeSums& sums) {
  constexpr double kNormal = 3;
  const double n = sums.weight();
  const double variance = sums.variance();
  if (!(n > 0) || !(variance > 0)) return 1;
  const double mean = sums.sum() / n;  // of u
  const double fourth =
      sums.fourth / n - mean * (4 * sums.cube / n - mean * (6 * sums.square / n - 3 * mean * mean));
  const double shrinkage = fourth / (kNormal * variance * variance);
  // Of sums that have faded to the end of the numbers (--half-life) nothing is known.
  return std::isfinite(shrinkage) ? std::max(1.0, shrinkage) : 1;
}

namespace {
constexpr double kLeastPivot = 0.02;  // of a regressor's own square
}

void UnseenPairs::find(const PairSnapshot& moments, const SolvedAttributes& attributes,
                       std::span<const double> pairs) {
  const std::size_t d = moments.dimension();
  attributes_ = attributes;
  pairs_.assign(pairs.begin(), pairs.end());
  all_pairs_ = 0;
  double most = 0;
  for (const double count : pairs) {
    all_pairs_ += count;
    most = std::max(most, count);
  }
  count_ = 0;
  unseen_.assign(d, 0);
  regressions_.clear();
  for (std::size_t i = 0; i < d; ++i) {
    if (!(pairs[i] * most > kExpected * all_pairs_)) continue;
    const auto counts = moments.weights(i);
    for (std::size_t k = 0; k < counts.size(); ++k)
      if (!(counts[k] > 0) && expected(i, i + 1 + k)) {
        ++count_;
        ++unseen_[i];
        ++unseen_[i + 1 + k];
      }
  }
  if (count_ == 0) return;
  rest_.assign(attributes.variances.begin(), attributes.variances.end());
  place_.assign(d, 0);
  for (std::size_t i = 0; i < d; ++i)
    if (unseen_[i] > 0) regress(moments, i);
}

double UnseenPairs::seen(const PairSnapshot& moments, std::size_t i, std::size_t j) const {
  const std::size_t a = std::min(i, j);
  const std::size_t b = std::max(i, j);
  return moments.co_moment(a, b) / (attributes_.units[a] * attributes_.units[b]) / (moments.weight(a, b) + 1);
}

void UnseenPairs::choose_neighbours(const PairSnapshot& moments, std::size_t i, Regression& r) {
  const auto& v = attributes_.variances;
  candidates_.clear();
  for (std::size_t k = 0; k < v.size(); ++k) {
    if (k == i || !(count(moments, i, k) > 0) || !(v[k] > 0)) continue;
    const double c = seen(moments, i, k);
    candidates_.push_back({-c * c / v[k], static_cast<std::uint32_t>(k)});
  }
  r.count = std::min(kNeighbours, candidates_.size());
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(r.count),
                    candidates_.end());
  for (std::size_t k = 0; k < r.count; ++k) r.neighbours[k] = candidates_[k].second;
}

// Regressor 0 is the label, a > 0 is neighbour a − 1. The matrix of their moments is LDLᵀ, z = L⁻¹ times
// those with i. One that hardly varies once the others are known, or that would explain more than there is,
// is left out: sums of different examples need not be the moments of anything.
void UnseenPairs::regress(const PairSnapshot& moments, std::size_t i) {
  Regression r;
  choose_neighbours(moments, i, r);
  constexpr std::size_t kMost = kNeighbours + 1;
  std::array<std::array<double, kMost>, kMost> l{};
  std::array<double, kMost> pivots{};
  std::array<double, kMost> z{};
  const std::size_t size = r.count + 1;
  double rest = attributes_.variances[i];
  for (std::size_t a = 0; a < size; ++a) {
    const std::size_t k = a == 0 ? i : r.neighbours[a - 1];
    const double looks = a == 0 ? moments[i].weight() : count(moments, i, k);
    const double square = (a == 0 ? attributes_.label_square : attributes_.variances[k]) *
                          (1 + static_cast<double>(size) / (looks + 1));
    double pivot = square;
    double product = a == 0 ? attributes_.targets[i] : seen(moments, i, k);
    for (std::size_t b = 0; b < a; ++b) {
      if (!(pivots[b] > 0)) continue;
      double sum = b == 0 ? attributes_.targets[k] : seen(moments, k, r.neighbours[b - 1]);
      for (std::size_t c = 0; c < b; ++c) sum -= l[a][c] * l[b][c] * pivots[c];
      l[a][b] = sum / pivots[b];
      pivot -= l[a][b] * l[a][b] * pivots[b];
      product -= l[a][b] * z[b];
    }
    const double left = rest - product * product / pivot;
    if (pivot > kLeastPivot * square && left > 0) {
      pivots[a] = pivot;
      z[a] = product;
      rest = left;
    } else {
      l[a] = {};
    }
  }
  std::array<double, kMost> slopes{};
  for (std::size_t a = size; a-- > 0;) {
    if (!(pivots[a] > 0)) continue;
    slopes[a] = z[a] / pivots[a];
    for (std::size_t b = a + 1; b < size; ++b) slopes[a] -= l[b][a] * slopes[b];
  }
  r.label_slope = slopes[0];
  std::copy_n(slopes.begin() + 1, r.count, r.slopes.begin());
  rest_[i] = rest;
  place_[i] = static_cast<std::uint32_t>(regressions_.size());
  regressions_.push_back(r);
}

// The one in more such pairs has the fewer neighbours, and the other is seen with all of these.
double UnseenPairs::covariance(const PairSnapshot& moments, std::size_t i, std::size_t j) const {
  if (unseen_[i] < unseen_[j]) std::swap(i, j);
  const Regression& r = regressions_[place_[i]];
  double sum = r.label_slope * attributes_.targets[j];
  for (std::size_t k = 0; k < r.count; ++k)
    if (r.neighbours[k] != j) sum += r.slopes[k] * seen(moments, r.neighbours[k], j);
  const double most = std::sqrt(attributes_.variances[i] * attributes_.variances[j]);
  return std::clamp(sum, -most, most);
}

}  // namespace glimpse
