#pragma once

#include <array>
#include <cstddef>

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

}  // namespace glimpse
