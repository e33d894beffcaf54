#include "learn/covariance/look_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/covariance/attribute_spread.h"
#include "learn/covariance/attribute_units.h"

namespace glimpse {

namespace {

constexpr int kRounds = 8;
constexpr double kMostExplained = 0.9;  // of the label's variance: slopes of correlated attributes add up

// g.
std::vector<double> explained(const PairMoments& moments, std::span<const AttributeSums> attributes) {
  const std::size_t d = attributes.size();
  const LabelSums label = moments.label();
  std::vector<double> g(d);
  std::vector<double> noise(d);
  const std::vector<double> units = attribute_units(attributes).units;
  const std::vector<double> v = shrunk_variances(attributes, units);
  double square = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double n = attributes[i].weight();
    if (n > 0) square += v[i] * v[i] / (n * n / label.weight + 1);
  }
  const double ridge = std::sqrt(square);
  double excess = 0;
  double weights = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double n = attributes[i].weight();
    if (!(n > 0)) continue;
    const double mean = attributes[i].mean();
    const double product =
        moments.label_co_moment(i, 0, mean, label.mean()) + moments.label_co_moment(i, 1, mean, label.mean());
    const double slope = product / units[i] / (n + 1) / (v[i] + ridge);
    noise[i] = label.variance() * v[i] / ((n + 1) * (v[i] + ridge) * (v[i] + ridge));
    g[i] = slope * slope;
    excess += v[i] * (g[i] - noise[i]);
    weights += v[i];
  }
  if (!(excess > 0)) {
    std::fill(g.begin(), g.end(), 0.0);
    return g;
  }
  const double prior = excess / weights;
  for (std::size_t i = 0; i < d; ++i) {
    const double trust = prior / (prior + noise[i]);
    g[i] = attributes[i].weight() > 0 ? v[i] * trust * (trust * g[i] + noise[i]) : v[i] * prior;
  }
  return g;
}

}  // namespace

std::vector<double> look_weights(const PairMoments& moments, const LookChances& chances, bool* by_label) {
  if (by_label != nullptr) *by_label = false;
  const std::size_t d = moments.dimension();
  std::vector<AttributeSums> attributes(d);
  for (std::size_t i = 0; i < d; ++i) attributes[i] = moments[i];
  std::vector<double> weights = spread_weights(attributes);
  const double variance = moments.label().variance();
  if (!(moments.label().weight > 0 && variance > 0)) return weights;
  std::vector<double> g = explained(moments, attributes);
  double sum = std::accumulate(g.begin(), g.end(), 0.0);
  if (!(sum > 0)) return weights;
  if (by_label != nullptr) *by_label = true;
  const double scale = std::min(1.0, kMostExplained * variance / sum);
  for (double& value : g) value *= scale;
  sum *= scale;

  const std::vector<double> s = shrunk_spreads(attributes);
  std::vector<double> pi(d);
  for (int round = 0; round < kRounds; ++round) {
    chances(weights, pi);
    double spread = 0;              // S
    double noise = variance - sum;  // σ² + T
    for (std::size_t i = 0; i < d; ++i) {
      if (!(pi[i] > 0)) continue;
      spread += s[i] / pi[i];
      noise += g[i] * (1 / pi[i] - 1);
    }
    for (std::size_t i = 0; i < d; ++i) weights[i] = std::sqrt(s[i] * noise + spread * g[i]);
    mix_with_uniform(weights);
  }
  return weights;
}

}  // namespace glimpse
