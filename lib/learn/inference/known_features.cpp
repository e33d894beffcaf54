#include "learn/inference/known_features.h"

#include <algorithm>
#include <cmath>

#include "learn/core/product_slots.h"

namespace glimpse {

std::vector<Entry> known_features(std::span<const Entry> known, const FeatureMap& features,
                                  const Solution& solution) {
  std::vector<Entry> result;
  for (const Entry& entry : known) {
    if (!features.is_category(entry.attribute)) {
      result.push_back(entry);
      continue;
    }
    if (std::isnan(entry.value)) continue;
    const std::uint32_t one = features.indicator(entry.attribute, entry.value);
    for (const std::uint32_t slot : features.indicators(entry.attribute))
      if (slot < solution.known_slots()) result.push_back({slot, slot == one ? 1.0 : 0.0});
  }
  const Model& model = solution.model;
  if (model.centres.empty() || solution.known_slots() <= model.centres.size()) return result;
  for (std::size_t a = 0; a < known.size(); ++a)
    for (std::size_t b = a; b < known.size(); ++b) {
      const Attribute i = known[a].attribute;
      const Attribute j = known[b].attribute;
      const std::uint32_t slot = product_slot(model.centres.size(), std::min(i, j), std::max(i, j));
      if (model.weights[slot] != 0)
        result.push_back({slot, (known[a].value - model.centres[i]) * (known[b].value - model.centres[j])});
    }
  return result;
}

namespace {

void add_products(Attribute attribute, const Solution& solution, std::span<const Attribute> given,
                  OwnedFeatures& result) {
  const Model& model = solution.model;
  if (model.centres.empty() || solution.known_slots() <= model.centres.size()) return;
  const auto add = [&](Attribute other) {
    const std::uint32_t slot =
        product_slot(model.centres.size(), std::min(attribute, other), std::max(attribute, other));
    if (model.weights[slot] != 0) result.add(slot, attribute);
  };
  add(attribute);
  for (const Attribute other : given)
    if (other != attribute) add(other);
}

}  // namespace

OwnedFeatures features_of(std::span<const Attribute> attributes, const FeatureMap& features,
                          const Solution& solution, std::span<const Attribute> given) {
  OwnedFeatures result;
  for (const Attribute attribute : attributes) {
    if (!features.is_category(attribute)) {
      result.add(attribute, attribute);
      add_products(attribute, solution, given, result);
      continue;
    }
    for (const std::uint32_t slot : features.indicators(attribute))
      if (slot < solution.known_slots()) result.add(slot, attribute);
  }
  return result;
}

}  // namespace glimpse
