#pragma once

#include "stats/pair_moments.h"

namespace glimpse {

/// κ_i, by which covariances of attribute i are shrunk where most attributes are not correlated:
///
///     Ĉ_ij = S_ij/(N_ij + max(κ_i, κ_j)),   κ_i = max(1, kurtosis_i/3),
///
/// kurtosis_i = n_i·Σ(x − mean)⁴/(Σ(x − mean)²)², the normal's is 3: as if so many further examples had shown
/// no covariance. An attribute that is 0 except in a share p of the examples has a kurtosis of about 1/p: in
/// the mean, one of that many examples shows that it can differ from 0. The variance of S_ij is N_ij·v_iv_j
/// whatever the tails. But where N_ij·p is about 1, S_ij is usually nothing, and once in a while a
/// correlation near ±1. One such pair makes Ĉ singular or worse, and w many times too long until the pair was
/// seen more often. 1 where nothing varied yet. How much of it is in use: PairwiseSolver.
/// pairwise/EXPERIMENTS.md.
///
/// The weights of all examples times a number, as forgetting leaves them, change nothing. O(1).
double covariance_shrinkage(const AttributeSums& sums);

}  // namespace glimpse
