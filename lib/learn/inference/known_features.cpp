#include "learn/inference/known_features.h"

#include <cmath>

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
  return result;
}

std::vector<Attribute> features_of(std::span<const Attribute> attributes, const FeatureMap& features,
                                   const Solution& solution) {
  std::vector<Attribute> result;
  for (const Attribute attribute : attributes) {
    if (!features.is_category(attribute)) {
      result.push_back(attribute);
      continue;
    }
    for (const std::uint32_t slot : features.indicators(attribute))
      if (slot < solution.known_slots()) result.push_back(slot);
  }
  return result;
}

}  // namespace glimpse
