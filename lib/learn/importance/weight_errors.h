#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "stats/pair_snapshot.h"

namespace glimpse {

/// A solution as its errors see it, in its units. All spans have d numbers.
struct SolvedWeights {
  std::span<const double> weights;    ///< (Ĉ₊ + λI)⁻¹b̂
  double shrink = 1;                  ///< α, by which they were multiplied
  std::span<const double> variance;   ///< Ĉ_ii
  std::span<const double> shrinkage;  ///< s: Ĉ_ij = S_ij/(N_ij + max(s_i, s_j))
  /// Ĉ, d × d, row after row, of which the diagonal and what is above it is read. The diagonal has what doubt
  /// of a variance adds.
  std::span<const float> covariances;
  double ridge = 0;         ///< λ, above 0
  double label_square = 0;  ///< the mean of (y − centre)²
};

/// Standard errors of the weights α·w, d numbers: how far they are from those that infinitely many examples
/// give, in the root mean square. Found by solving kResamples times for what examples of a known population
/// would give. The population's covariances are
///
///     C̃_ij = (1 − t)·Ĉ_ij·max(0, 1 − 4/z_ij²),   z_ij² = Ĉ_ij²·(N_ij + 1)/(Ĉ_iiĈ_jj),   C̃_ii = Ĉ_ii,
///
/// t the least that leaves the eigenvalues of the correlations at 1/20: what looks like noise is none. Its
/// weights are w, so b̃ = C̃w. A sample of it is C̃ + E, b̃ + e: E_ij is normal with the variance (Ĉ_iiĈ_jj +
/// C̃_ij²)/(N_ij + 1), and with f_ij = N_ij/n_i
///
///     e_i = Σ_j f_ijE_ijw_j + u_i,   Var u_i = Ĉ_ii·(σ² + Σ_{j≠i} w_j²Ĉ_jj(1 − f_ij))/(n_i + 1),
///
/// as the examples that show i and j are among those that show i. σ² is what w leaves of the label's square.
/// The u_i are as correlated as the attributes where the same examples show both. The sample is solved for as
/// the sums were, with the same λ and α. w' − w has the mean m and the deviation s; the standard error is
///
///     √(s_i² + β²/(Ĉ_ii√k)),   β² the mean of Ĉ_jj·(m_j² − s_j²/kResamples) over the attributes,
///
/// k = ΣĈ_jj(w_j + m_j)w_j/ΣĈ_jjw_j² the share of w that comes back. So what λ and α draw towards 0 is in it
/// in the mean, not for each attribute: m_i itself is known too badly. As w was drawn as well, β is too
/// small, which √k is for. Nothing is known where k < kLeastKept: w is then mostly what λ makes of noise.
/// REASONS.md has the coverage, and what is left out. NaN: attributes never seen. Empty when nothing is
/// known, or `cancelled`.
///
/// Cost: kResamples·kResampleSteps products with the matrix, and as many normal numbers as pairs for each:
/// O(d²). 4·d² bytes. The same sums give the same errors, to the bit.
std::vector<double> weight_errors(const PairSnapshot& moments, const SolvedWeights& solution,
                                  const std::function<bool()>& cancelled = {});

inline constexpr double kLeastKept = 0.4;
inline constexpr int kResamples = 24;
inline constexpr std::size_t kResampleSteps = 32;  ///< of Lanczos

/// Of a normal number: the standard errors on either side of 90 % intervals.
inline constexpr double kIntervalErrors = 1.6448536269514722;
inline constexpr double kIntervalShare = 0.9;

}  // namespace glimpse
