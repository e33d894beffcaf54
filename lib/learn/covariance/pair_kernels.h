#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "stats/feature_map.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// What is known of the pairs of attribute i with n others, j = i + 1, …
struct PairRow {
  const float* counts;       ///< N_ij
  const float* covariances;  ///< S_ij/(N_ij·s_i·s_j)
  double scale_i;            ///< s_i
  const double* scales;      ///< s_j
  std::size_t n;
};

/// Sums over pairs in eight parts, of j − i ≡ 1 … 8 (mod 8).
using EightSums = std::array<double, 8>;
double sum_of(const EightSums& sums);

/// What PairKernels::covariances() is told of an attribute, or of all that one is paired with.
template <class Numbers>
struct ShrunkAbout {
  Numbers offsets;     ///< o: of the mean from what S is about
  Numbers shrinkage;   ///< κ
  Numbers deviations;  ///< δ
};

/// What PairwiseSolver asks of all pairs before it knows λ.
struct PairSurvey {
  EightSums excess{};    ///< Σ S_ij² less what uncorrelated attributes would have: Σ N_ij²ρ_ij²v_i v_j
  EightSums weights{};   ///< Σ N_ij²v_i v_j
  EightSums variance{};  ///< of the excess, for normal attributes
  EightSums seen{};      ///< Σ v_i v_j·N_ij/(N_ij + 1)
  EightSums all{};       ///< Σ v_i v_j
};

/// What the survey adds up for each attribute, over the pairs that it is in.
struct PairTotals {
  double* counts;  ///< Σ N_ij
  double* seen;    ///< Σ v_j·N_ij/(N_ij + 1)
};

/// The loops over all pairs in which preparing a solution spends its time, with the widest vectors that a
/// processor has. Every version does the same arithmetic in the same order, without fused operations: results
/// are the same to the bit. Thread-safety: full.
struct PairKernels {
  /// Adds a row to the survey, and to the totals of attribute i and of the others, which begin at j = i + 1.
  /// Writes v_i·v_j/(N_ij + 1)·(1 − N_ij/max(n_i, n_j)), and 0 where that is negative. v: the attributes'
  /// variances, 0 where they were never seen. n > 0.
  void (*survey)(const PairRow& row, double v_i, const double* v, double n_i, const double* n,
                 PairSurvey& survey, const PairTotals& of_i, const PairTotals& of_others, float* out);
  /// Writes S_ij/(N_ij + max(κ_i, κ_j)), and adds (S_ij·σ_i·σ_j)² to `null_squares`. κ: shrinkage, σ: noise.
  void (*shrink)(const PairRow& row, double kappa_i, const double* kappa, double sigma_i, const double* sigma,
                 EightSums& null_squares, float* out);
  /// Writes (S_ij − N_ij·o_i·o_j)/(N_ij + max(κ_i, κ_j)), but at most δ_iδ_j, and at least −δ_iδ_j.
  void (*covariances)(const PairRow& row, const ShrunkAbout<double>& i, const ShrunkAbout<const double*>& j,
                      double* out);
  /// Σ_j S_ij·z_j.
  double (*product)(const PairRow& row, const double* z);
};

/// For every processor.
const PairKernels& plain_pair_kernels();
/// The fastest that this processor has.
const PairKernels& fastest_pair_kernels();

// Pairs of features of one attribute of categories or dates, which are always seen together: they tell
// nothing of how often plans show two attributes. Where there are no such attributes none of this does
// anything. O(Σ C²) for attributes of C indicators.

/// Takes the weights of these pairs off the sums R_i = Σ_j N_ij.
void leave_out_indicator_pairs(const PairSnapshot& moments, std::span<double> pairs);

/// r_i = R_i/ΣR; of an indicator and of a date those of all its attribute's, summed.
std::vector<double> attribute_shares(const FeatureMap& features, std::span<const double> pairs,
                                     double all_pairs);

/// What these pairs add to Σ_{i≠j} w_iw_jS_ij/M_ij when M_ij is N_ij in place of 1/(ΣR·z_iz_j/(w_iw_j)), all
/// in `units`.
double among_indicators(const PairSnapshot& moments, std::span<const double> units,
                        std::span<const double> weights, std::span<const double> z, double all_pairs);

}  // namespace glimpse
