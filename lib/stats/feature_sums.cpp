#include "stats/feature_sums.h"

#include <utility>

namespace glimpse {

namespace {

// The pair of two slots as they are kept, with the sides in the order asked for.
PairSums kept(const PairMoments& moments, std::size_t i, std::size_t j) {
  if (i < j) return moments.pair(i, j);
  PairSums sums = moments.pair(j, i);
  std::swap(sums.first, sums.second);
  return sums;
}

}  // namespace

AttributeSums feature_sums(const PairMoments& moments, const FeatureMap& features, std::size_t slot) {
  if (!features.is_feature(slot)) return {};
  if (!features.is_indicator(slot)) return moments[slot];
  const AttributeSums seen = moments[features.owner(slot)];
  const AttributeSums ones = moments[slot];
  AttributeSums sums;
  for (std::size_t h = 0; h < sums.halves.size(); ++h)
    sums.halves[h] = {seen.halves[h].weight, ones.halves[h].weight, seen.halves[h].label,
                      ones.halves[h].label};
  sums.square = sums.cube = sums.fourth = ones.weight();
  sums.largest = ones.weight() > 0 ? 1 : 0;
  return sums;
}

TargetSums::Cell feature_target(const PairMoments& moments, const FeatureMap& features, std::size_t slot,
                                std::size_t target) {
  if (!features.is_feature(slot)) return {};
  if (!features.is_indicator(slot)) return moments.target_cell(slot, target);
  return {moments.target_cell(features.owner(slot), target).label, moments.target_cell(slot, target).label};
}

PairSums feature_pair(const PairMoments& moments, const FeatureMap& features, std::size_t i, std::size_t j) {
  if (!features.is_feature(i) || !features.is_feature(j)) return {};
  const std::size_t a = features.owner(i);
  const std::size_t b = features.owner(j);
  const bool first = features.is_indicator(i);
  const bool second = features.is_indicator(j);
  if (!first && !second) return moments.pair(i, j);
  if (a == b) {
    const AttributeSums seen = moments[a];
    PairSums sums{seen.weight(), first ? moments[i].weight() : seen.sum(), moments[j].weight(), 0};
    if (features.is_category(a)) return sums;
    const PairSums ones = moments.pair(i, j);
    sums.product = first ? ones.weight : ones.first;
    return sums;
  }
  const PairSums seen = kept(moments, a, b);
  PairSums sums{seen.weight, seen.first, seen.second, 0};
  if (first) sums.first = kept(moments, i, b).weight;
  if (second) sums.second = kept(moments, a, j).weight;
  const PairSums ones = kept(moments, i, j);
  sums.product = first && second ? ones.weight : first ? ones.second : ones.first;
  return sums;
}

double feature_co_moment(const PairMoments& moments, const FeatureMap& features, std::size_t i, std::size_t j,
                         double a, double b) {
  const PairSums s = feature_pair(moments, features, i, j);
  const double da = a - feature_reference(moments, features, i);
  const double db = b - feature_reference(moments, features, j);
  return s.product - db * s.first - da * s.second + s.weight * da * db;
}

}  // namespace glimpse
