#include "learn/judges/active_features.h"

#include <algorithm>

namespace glimpse {

Result<FeatureMap> features_of_places(const FeatureMap& features, std::span<const Attribute> active) {
  FeatureMap places(active.size());
  if (features.is_plain()) return places;
  for (std::size_t s = 0; s < active.size(); ++s)
    if (features.is_date(active[s]))
      places.make_date(s, features.date_parts(active[s]));
    else if (features.is_category(active[s]))
      places.make_category(s);
  for (std::size_t slot = features.attributes(); slot < features.slots(); ++slot) {
    const auto owner = static_cast<Attribute>(features.owner(slot));
    const auto at = std::lower_bound(active.begin(), active.end(), owner);
    if (at == active.end() || *at != owner)
      return failure(ErrorCode::kCorrupt, "attribute {} has indicators, and is not in screened.active",
                     owner);
    places.find_or_add(static_cast<std::size_t>(at - active.begin()), features.code(slot));
  }
  return places;
}

std::vector<std::uint32_t> learner_slots(const FeatureMap& features, std::span<const Attribute> active,
                                         const FeatureMap& places) {
  std::vector<std::uint32_t> slots(active.begin(), active.end());
  for (std::size_t slot = active.size(); slot < places.slots(); ++slot)
    slots.push_back(static_cast<std::uint32_t>(features.attributes() + (slot - active.size())));
  return slots;
}

std::vector<bool> with_indicators(std::vector<bool> of_places, const FeatureMap& places, std::size_t room) {
  of_places.resize(room);
  for (std::size_t slot = places.attributes(); slot < places.slots(); ++slot)
    of_places[slot] = of_places[places.owner(slot)];
  return of_places;
}

std::vector<Attribute> with_indicators_among(const FeatureMap& features, std::span<const Attribute> active) {
  std::vector<Attribute> result;
  for (const Attribute i : active)
    if (features.has_indicators(i)) result.push_back(i);
  return result;
}

}  // namespace glimpse
