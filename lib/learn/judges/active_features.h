#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "stats/feature_map.h"

namespace glimpse {

// What ScreenedPairwise keeps of its active attributes, in moments of their places: place s is that of active
// attribute s, ascending, and behind all places come the indicators of those that have any, in the
// order of their slots in the learner's map. So the k-th indicator there is the k-th here, as every attribute
// that has indicators is active.

/// The features of these places. An Error (kCorrupt) where an attribute that has indicators is not active.
Result<FeatureMap> features_of_places(const FeatureMap& features, std::span<const Attribute> active);

/// The slot in the learner's map of each slot of `places`.
std::vector<std::uint32_t> learner_slots(const FeatureMap& features, std::span<const Attribute> active,
                                         const FeatureMap& places);

/// What holds of attributes by their places holds of their indicators: `of_places` for all `room` slots.
std::vector<bool> with_indicators(std::vector<bool> of_places, const FeatureMap& places, std::size_t room);

/// Those that have indicators: of categories or dates.
std::vector<Attribute> with_indicators_among(const FeatureMap& features, std::span<const Attribute> active);

}  // namespace glimpse
