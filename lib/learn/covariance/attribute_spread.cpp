#include "learn/covariance/attribute_spread.h"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace glimpse {

std::vector<double> shrunk_variances(std::span<const AttributeSums> attributes,
                                     std::span<const double> units) {
  std::vector<double> v(attributes.size());
  double squares = 0;
  double counts = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = units[i] > 0 ? attributes[i].weight() * attributes[i].variance() / (units[i] * units[i]) : 0;
    squares += v[i];
    counts += attributes[i].weight();
  }
  const double pooled = counts > 0 && squares > 0 ? squares / counts : 1;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = (v[i] + pooled / 2) / (attributes[i].weight() + 0.5);
  return v;
}

std::vector<double> shrunk_spreads(std::span<const AttributeSums> attributes) {
  std::vector<double> largest(attributes.size());
  for (std::size_t i = 0; i < largest.size(); ++i) largest[i] = attributes[i].largest;
  return shrunk_variances(attributes, largest);
}

void mix_with_uniform(std::vector<double>& x) {
  constexpr double kUniformShare = 0.1;
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  for (double& value : x) value = kUniformShare + (1 - kUniformShare) * value / mean;
}

std::vector<double> spread_weights(std::span<const AttributeSums> attributes) {
  std::vector<double> weights = shrunk_spreads(attributes);
  for (double& weight : weights) weight = std::sqrt(weight);
  mix_with_uniform(weights);
  return weights;
}

}  // namespace glimpse
