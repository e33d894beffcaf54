#pragma once

#include <span>
#include <vector>

#include "stats/pair_moments.h"

namespace glimpse {

/// The variances v_i of attributes in given units, d numbers above 0, shrunk to their mean: (S_ii + ½v̄)/(n_i
/// + ½). S_ii is the sum of squares about the mean, v̄ = Σ S_ii/Σ n_i, or 1 where that is 0. An attribute in
/// a unit of 0 has S_ii = 0. O(d).
std::vector<double> shrunk_variances(std::span<const AttributeSums> attributes,
                                     std::span<const double> units);

/// The same in units of the largest values seen.
std::vector<double> shrunk_spreads(std::span<const AttributeSums> attributes);

/// `x`, numbers of at least 0 that are not all 0, over its mean, mixed with a tenth of uniform: so are
/// chances planned, up to a common factor. O(d).
void mix_with_uniform(std::vector<double>& x);

/// How often attributes are looked at for their spread alone: √shrunk_spreads(), mixed with uniform. A sum of
/// squared errors over all covariances, Σ v_iv_j/(π_iπ_j), is least with √v. O(d).
std::vector<double> spread_weights(std::span<const AttributeSums> attributes);

}  // namespace glimpse
