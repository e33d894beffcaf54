#pragma once

#include <span>
#include <vector>

#include "base/types.h"
#include "data/records/example_reader.h"
#include "learn/core/solving.h"
#include "stats/feature_map.h"

namespace glimpse {

/// What known attributes say of the features that `solution` knows, by their slots: a number is its own
/// feature, and a category makes its indicator 1 and those of the attribute's other categories 0. A code that
/// is NaN says nothing. In the order of the attributes.
std::vector<Entry> known_features(std::span<const Entry> known, const FeatureMap& features,
                                  const Solution& solution);

/// The features of attributes, in their order, as PartialPrediction wants its universe.
std::vector<Attribute> features_of(std::span<const Attribute> attributes, const FeatureMap& features,
                                   const Solution& solution);

}  // namespace glimpse
