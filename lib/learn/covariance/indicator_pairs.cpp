#include "learn/covariance/indicator_pairs.h"

#include <algorithm>

namespace glimpse {

namespace {

// Of indicators i < j of one attribute that have a slot.
template <class Visit>
void for_each_pair(const FeatureMap& features, const Visit& visit) {
  for (std::size_t a = 0; !features.is_plain() && a < features.attributes(); ++a) {
    if (!features.is_category(a)) continue;
    const auto slots = features.indicators(a);
    for (std::size_t k = 0; k < slots.size(); ++k)
      for (std::size_t l = k + 1; l < slots.size(); ++l)
        if (slots[k] != FeatureMap::kNone && slots[l] != FeatureMap::kNone)
          visit(std::min(slots[k], slots[l]), std::max(slots[k], slots[l]));
  }
}

}  // namespace

void leave_out_indicator_pairs(const PairSnapshot& moments, std::span<double> pairs) {
  for_each_pair(moments.features(), [&](std::size_t i, std::size_t j) {
    const double count = moments.weight(i, j);
    pairs[i] -= count;
    pairs[j] -= count;
  });
  if (moments.features().is_plain()) return;
  for (double& count : pairs) count = std::max(count, 0.0);
}

std::vector<double> attribute_shares(const FeatureMap& features, std::span<const double> pairs,
                                     double all_pairs) {
  std::vector<double> shares(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) shares[i] = all_pairs > 0 ? pairs[i] / all_pairs : 0;
  if (features.is_plain()) return shares;
  std::vector<double> sums(features.attributes());
  for (std::size_t i = features.attributes(); i < features.slots(); ++i) sums[features.owner(i)] += shares[i];
  for (std::size_t i = features.attributes(); i < features.slots(); ++i)
    shares[i] = std::min(sums[features.owner(i)], 1.0);
  return shares;
}

double among_indicators(const PairSnapshot& moments, std::span<const double> units,
                        std::span<const double> weights, std::span<const double> z, double all_pairs) {
  double sum = 0;
  for_each_pair(moments.features(), [&](std::size_t i, std::size_t j) {
    const double count = moments.weight(i, j);
    if (!(count > 0)) return;
    const double s = moments.co_moment(i, j) / (units[i] * units[j]);
    sum += s * (weights[i] * weights[j] / count - all_pairs * z[i] * z[j]);
  });
  return 2 * sum;
}

}  // namespace glimpse
