#pragma once

#include <cstddef>

#include "stats/feature_map.h"
#include "stats/pair_moments.h"

namespace glimpse {

// The sums of features out of moments whose slots are those of a FeatureMap. An example adds to the moments,
// for each attribute of numbers that it shows, the value in its slot; for one of categories a 1 in its own
// slot and a 1 in that of the indicator. So what K attributes cost does not depend on how many categories
// there are: the indicators that are 0 add nothing, and what they would have added is known all the same.
//
//     N of (i, j)      how often both attributes were seen: the cell of the attributes' own slots
//     Σ u_i            for an indicator: how often it was 1 with the other attribute seen
//     Σ u_i·u_j        two indicators: how often both were 1; with a number: its sum where the indicator was
//     1
//
// Features of one attribute are seen together: N is how often it was seen. Two of its categories are never 1
// together, so that Σ u_i·u_j is 0. A date adds its number in the own slot and a 1 for each of its parts, so
// that the cells of these have Σ u_i·u_j. No indicator is left out as the others' complement: the ridge of a
// solution takes care of that.
//
// An indicator's reference is 0: u is its value. Slots that are no feature are as if never seen.

/// Those of the feature in `slot`, as if its attribute had shown it every time. O(1).
AttributeSums feature_sums(const PairMoments& moments, const FeatureMap& features, std::size_t slot);

/// The same of a target (PairMoments::targets()).
TargetSums::Cell feature_target(const PairMoments& moments, const FeatureMap& features, std::size_t slot,
                                std::size_t target);

/// Those of the features i < j. O(1), usually with three cache misses.
PairSums feature_pair(const PairMoments& moments, const FeatureMap& features, std::size_t i, std::size_t j);

/// Of the feature's u.
inline double feature_reference(const PairMoments& moments, const FeatureMap& features, std::size_t slot) {
  return slot < features.attributes() ? moments.reference(slot) : 0;
}

/// Σ (x_i − a)(x_j − b) over the examples in which both features' attributes were seen; i < j.
double feature_co_moment(const PairMoments& moments, const FeatureMap& features, std::size_t i, std::size_t j,
                         double a, double b);

}  // namespace glimpse
