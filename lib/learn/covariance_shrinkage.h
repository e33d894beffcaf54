#pragma once

#include "stats/pair_moments.h"

namespace glimpse {

/// κ_i: covariances of attribute i are estimated as S_ij/(N_ij + κ_ij), κ_ij = max(κ_i, κ_j), as if κ_ij
/// further examples had shown none.
///
///     κ_i = max(1, kurtosis_i/4),   kurtosis_i = n_i·Σ(x − mean)⁴/(Σ(x − mean)²)²
///
/// An attribute that is 0 but in a share p of the examples has a kurtosis of about 1/p: 4·κ_i examples show
/// once in the mean that it can differ from 0. The variance of S_ij is N_ij·v_iv_j whatever the tails; but
/// where N_ij·p is about 1, S_ij is nothing as a rule, and a correlation near ±1 once in a while. One such
/// pair makes Ĉ singular or worse, and w many times too long until the pair was seen more often. Up to a
/// kurtosis of 4, the normal's is 3, κ_i is 1, as it is where nothing varied yet. The factor: PAIRWISE.md.
///
/// The weights of all examples times a number, as forgetting leaves them, change nothing. O(1).
double covariance_shrinkage(const AttributeSums& sums);

}  // namespace glimpse
