#include "learn/covariance/attribute_units.h"

#include <algorithm>
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

double effective_count(const AttributeSums& sums) {
  const double count = sums.fourth > 0 ? sums.square / sums.fourth * sums.square : 0;
  return std::isfinite(count) ? count : 0;  // what has faded to the end of the numbers
}

AttributeUnits attribute_units(std::span<const AttributeSums> attributes) {
  constexpr int kPasses = 4;
  constexpr double kLeastSpread = 0.05;  // variance of the logarithms
  const std::size_t d = attributes.size();
  std::vector<double> logarithms(d);
  std::vector<double> noise(d);  // variance of the logarithm; 0: nothing is known
  for (std::size_t i = 0; i < d; ++i) {
    const AttributeSums& s = attributes[i];
    const double unit = std::sqrt(std::sqrt(s.variance()) * s.largest);
    const double count = effective_count(s);
    if (!(unit > 0) || !(count > 0)) continue;
    logarithms[i] = std::log(unit);
    noise[i] = 1 / std::max(count, kLeastEffective);
  }

  double mean = 0;
  double spread = 1;
  for (int pass = 0; pass < kPasses; ++pass) {
    double weights = 0;
    double sum = 0;
    for (std::size_t i = 0; i < d; ++i) {
      if (noise[i] == 0) continue;
      const double weight = 1 / (spread + noise[i]);
      weights += weight;
      sum += weight * logarithms[i];
    }
    if (weights == 0) return {std::vector<double>(d, 1.0), spread};
    mean = sum / weights;
    double excess = 0;
    for (std::size_t i = 0; i < d; ++i) {
      if (noise[i] == 0) continue;
      const double difference = logarithms[i] - mean;
      excess += (difference * difference - noise[i]) / (spread + noise[i]);
    }
    spread = std::max(excess / weights, kLeastSpread);
  }

  std::vector<double> units(d);
  for (std::size_t i = 0; i < d; ++i) {
    const double trust = noise[i] > 0 ? spread / (spread + noise[i]) : 0;
    units[i] = std::exp(trust * logarithms[i] + (1 - trust) * mean);
  }
  return {std::move(units), spread};
}

AttributeUnits balanced_units(std::span<const AttributeSums> attributes) {
  AttributeUnits result = attribute_units(attributes);
  const std::vector<double> weights = spread_weights(attributes);
  double seen = 0;  // of the weights
  double counts = 0;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (!(attributes[i].weight() > 0)) continue;
    seen += weights[i];
    counts += attributes[i].weight();
  }
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const double count = attributes[i].weight();
    if (!(count > 0)) continue;
    result.units[i] *= std::sqrt(std::sqrt((counts * weights[i] / seen + 1) / (count + 1)));
  }
  return result;
}

}  // namespace glimpse
