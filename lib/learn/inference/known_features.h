#pragma once

#include <span>
#include <vector>

#include "base/types.h"
#include "data/records/example_reader.h"
#include "learn/core/solving.h"
#include "stats/feature_map.h"

namespace glimpse {

/// What known attributes say of the features that `solution` knows, by their slots: a number is its own
/// feature, and a category makes its indicator 1 and those of the attribute's other categories 0; a date is
/// both, with its parts. A code that is NaN says nothing. In the order of the attributes. Then the products
/// that have weights, where all their factors are known.
std::vector<Entry> known_features(std::span<const Entry> known, const FeatureMap& features,
                                  const Solution& solution);

/// Features and the attribute that each belongs to, as PartialPrediction wants its universe.
struct OwnedFeatures {
  std::vector<Attribute> slots;
  std::vector<Attribute> owners;

  void add(Attribute slot, Attribute owner) {
    slots.push_back(slot);
    owners.push_back(owner);
  }
};

/// The features of attributes, in their order. Of a number these are itself and the products of it that have
/// weights and become known with it, as `given`, ascending, are known already.
OwnedFeatures features_of(std::span<const Attribute> attributes, const FeatureMap& features,
                          const Solution& solution, std::span<const Attribute> given = {});

}  // namespace glimpse
