#pragma once

#include <span>
#include <vector>

#include "stats/feature_map.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

// Pairs of indicators of one attribute, which are always seen together: they tell nothing of how often plans
// show two attributes. Where there are no categories none of this does anything. O(Σ C²) for attributes of C
// categories.

/// Takes the weights of these pairs off the sums R_i = Σ_j N_ij.
void leave_out_indicator_pairs(const PairSnapshot& moments, std::span<double> pairs);

/// r_i = R_i/ΣR; of an indicator those of all its attribute's, summed.
std::vector<double> attribute_shares(const FeatureMap& features, std::span<const double> pairs,
                                     double all_pairs);

/// What these pairs add to Σ_{i≠j} w_iw_jS_ij/M_ij when M_ij is N_ij in place of 1/(ΣR·z_iz_j/(w_iw_j)), all
/// in `units`.
double among_indicators(const PairSnapshot& moments, std::span<const double> units,
                        std::span<const double> weights, std::span<const double> z, double all_pairs);

}  // namespace glimpse
