#include "learn/covariance/look_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "learn/covariance/attribute_units.h"
#include "stats/feature_sums.h"

namespace glimpse {

namespace {

constexpr int kRounds = 8;
constexpr double kMostExplainedBySlopes =
    0.9;  // of the label's variance: slopes of correlated attributes add up

// The features, and the attribute of each.
struct Features {
  std::vector<std::size_t> slots;
  std::vector<AttributeSums> sums;
  std::vector<std::size_t> owners;
  std::vector<double> units;
  std::vector<double> variances;  // in these, shrunk
};

// Σ (x − mean)(label − its mean) of each feature.
struct LabelProducts {
  LabelSums sums;
  std::vector<double> products;
};

double label_product(const AttributeSums& sums, const LabelSums& label) {
  const double da = sums.mean() - sums.reference;
  const double dc = label.mean() - label.reference;
  const auto of = [&](const AttributeSums::Half& s) {
    return s.product - dc * s.sum - da * s.label + s.weight * da * dc;
  };
  return of(sums.halves[0]) + of(sums.halves[1]);
}

Features features_of(const PairMoments& moments, const FeatureMap& map) {
  Features features;
  const std::size_t slots = map.is_plain() ? moments.dimension() : map.slots();
  for (std::size_t i = 0; i < slots; ++i) {
    if (!map.is_plain() && !map.is_feature(i)) continue;
    const bool is_number = map.is_plain() || !map.is_indicator(i);
    features.slots.push_back(i);
    features.sums.push_back(is_number ? moments[i] : feature_sums(moments, map, i));
    features.owners.push_back(is_number ? i : map.owner(i));
  }
  features.units = attribute_units(features.sums).units;
  features.variances = shrunk_variances(features.sums, features.units);
  return features;
}

// Of the label, or of the indicators of more than two classes.
std::vector<LabelProducts> label_products_of(const PairMoments& moments, const FeatureMap& map,
                                             const Features& features) {
  std::vector<LabelProducts> labels;
  const bool has_classes = moments.targets() > 2;
  for (std::size_t t = 0; t < (has_classes ? moments.targets() : 1); ++t) {
    LabelProducts& label = labels.emplace_back();
    label.sums = has_classes ? moments.target(t) : moments.label();
    for (std::size_t f = 0; f < features.slots.size(); ++f) {
      AttributeSums sums = features.sums[f];
      const std::size_t i = features.slots[f];
      if (!has_classes && i == features.owners[f] && !map.is_category(i)) {
        const double mean = sums.mean();
        label.products.push_back(moments.label_co_moment(i, 0, mean, label.sums.mean()) +
                                 moments.label_co_moment(i, 1, mean, label.sums.mean()));
        continue;
      }
      if (has_classes) {
        const TargetSums::Cell cell =
            map.is_plain() ? moments.target_cell(i, t) : feature_target(moments, map, i, t);
        for (std::size_t h = 0; h < 2; ++h) {
          sums.halves[h].label = cell.label[h];
          sums.halves[h].product = cell.product[h];
        }
      }
      label.products.push_back(label_product(sums, label.sums));
    }
  }
  return labels;
}

// What the features of each attribute have.
std::vector<double> by_attribute(std::span<const double> values, std::span<const std::size_t> owners,
                                 std::size_t attributes) {
  std::vector<double> sums(attributes);
  for (std::size_t f = 0; f < values.size(); ++f) sums[owners[f]] += values[f];
  return sums;
}

// g of each feature.
std::vector<double> explained(const LabelProducts& products, const Features& features) {
  const LabelSums& label = products.sums;
  const std::span<const AttributeSums> attributes = features.sums;
  const std::size_t d = attributes.size();
  std::vector<double> g(d);
  std::vector<double> noise(d);
  const std::vector<double>& v = features.variances;
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
    const double slope = products.products[i] / features.units[i] / (n + 1) / (v[i] + ridge);
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

std::vector<double> look_weights(const PairMoments& moments, const LookChances& chances,
                                 const FeatureMap& map, bool* by_label,
                                 std::span<const PairMoments* const> further) {
  if (by_label != nullptr) *by_label = false;
  const std::size_t d = map.is_plain() ? moments.dimension() : map.attributes();
  const Features features = features_of(moments, map);
  const std::vector<double> s = by_attribute(shrunk_spreads(features.sums), features.owners, d);
  std::vector<double> weights = s;
  for (double& weight : weights) weight = std::sqrt(weight);
  mix_with_uniform(weights);
  double variance = 0;
  std::vector<double> of_features(features.sums.size());
  std::vector<LabelProducts> labels = label_products_of(moments, map, features);
  for (const PairMoments* const other : further) {
    Features seen = features_of(*other, map);  // with the sums of that label
    for (LabelProducts& label : label_products_of(*other, map, seen)) labels.push_back(std::move(label));
  }
  for (const LabelProducts& label : labels) {
    if (!(label.sums.weight > 0 && label.sums.variance() > 0)) continue;
    const double unit = further.empty() ? 1 : label.sums.variance();
    variance += label.sums.variance() / unit;
    const std::vector<double> g = explained(label, features);
    for (std::size_t f = 0; f < g.size(); ++f) of_features[f] += g[f] / unit;
  }
  if (!(variance > 0)) return weights;
  for (std::size_t f = 0; f < of_features.size(); ++f)
    if (map.is_indicator(features.slots[f])) of_features[f] *= 1 - features.sums[f].mean();
  std::vector<double> g = by_attribute(of_features, features.owners, d);
  double sum = std::accumulate(g.begin(), g.end(), 0.0);
  if (!(sum > 0)) return weights;
  if (by_label != nullptr) *by_label = true;
  const double scale = std::min(1.0, kMostExplainedBySlopes * variance / sum);
  for (double& value : g) value *= scale;
  sum *= scale;

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
