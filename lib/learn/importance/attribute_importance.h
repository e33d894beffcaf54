#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/types.h"
#include "learn/core/model.h"
#include "learn/linalg/spectral_solver.h"
#include "stats/feature_map.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// What is left of 1 − Σ_k z_ki² by rounding, where a Krylov space is all there is.
inline constexpr double kNothingOutside = 1e-9;

/// Of A = Ĉ₊ + λI the diagonals that importances need. d numbers each.
struct InverseDiagonals {
  std::vector<double> inverse;  ///< of A⁻¹; 1/(A⁻¹)_ii is what x_i varies beside all the others, with λ
  std::vector<double> between;  ///< of A⁻¹Ĉ₊A⁻¹
  std::vector<double> squared;  ///< of A⁻²
};

/// From what a Krylov space knows of Ĉ, `covariance` Ĉ_ii: with its eigenvectors z_k and eigenvalues θ_k,
///
///     (A⁻¹)_ii = Σ_k z_ki²/(max(θ_k, 0) + λ) + (1 − Σ_k z_ki²)/(t_i + λ),
///     t_i = max(Ĉ_ii − Σ_k θ_k·z_ki², 0)/(1 − Σ_k z_ki²),
///
/// and the others alike: outside the space Ĉ counts as t_i. Exact where the space is all there is, as for d
/// up to its steps, or where Ĉ is flat outside. Else (A⁻¹)_ii is usually too small, as 1/x is convex, and an
/// importance too large. d solves, or a factorisation, would be O(d³); this is O(d·r²), r ≤ 60 dimensions of
/// the space, and needs no product with Ĉ.
InverseDiagonals inverse_diagonals(const KrylovSpace& space, std::span<const double> covariance,
                                   double ridge);

/// A solution as importances see it, in its units. All spans have d numbers.
struct SolvedFor {
  std::span<const double> weights;   ///< (Ĉ₊ + λI)⁻¹b̂, or that in a ball
  double shrink = 1;                 ///< α
  std::span<const double> variance;  ///< Ĉ_ii
  double noise = 0;                  ///< expected squared error of the model
  double label_variance = 0;         ///< above 0
};

/// The variances of weights, d numbers; NaN: attributes never seen. They are those of sums of few examples.
/// Coordinate i of b̂ − Ĉw has about the variance
///
///     s_i² = Ĉ_ii·(noise/(n_i + 1) + Σ_j w_j²Ĉ_jj·max(1/(N_ij + 1) − 1/(n_i + 1), 0)):
///
/// what examples that show i and j add to b̂_i and to Ĉ_ijw_j cancels. Such noise moves w by A⁻¹ times it. Its
/// coordinates are as correlated as the attributes where the same examples show both, and not where not:
/// φ_i = Σ_j N_ij/(n_i·(d − 1)) of it is the one, so w_i has the variance
///
///     V_i = s_i²/Ĉ_ii·(φ_i·(A⁻¹Ĉ₊A⁻¹)_ii + (1 − φ_i)·Ĉ_ii(A⁻²)_ii).
///
/// It leaves out that λ and α are estimates and draw w towards 0, and that pairs never seen count as
/// uncorrelated. Reads the weight of each pair once: O(d²).
std::vector<double> weight_variances(const PairSnapshot& moments, const SolvedFor& solution,
                                     const InverseDiagonals& diagonals);

/// Importances of the attributes. With J(w) = σ_y² − 2wᵀb̂ + wᵀAw, the expected squared error that a ridge
/// reckons with, the least J without attribute i is w_i²/(A⁻¹)_ii above the least one: no other solution is
/// needed. With weights α·w it is (2α − α²) times that, α and λ being kept. In an L1 ball the others are
/// refitted without the ball.
///
/// `variances` are those of the weights. The importance, w_i² times a factor f, has the standard error
/// f·√(4w_i²V_i + 2V_i²). It leaves out that (A⁻¹)_ii is an estimate. An attribute that explains nothing has
/// an importance of about f·V_i, below its error.
///
/// NaN: attributes never seen, and errors where α is 0. O(d).
Importances attribute_importances(const SolvedFor& solution, const InverseDiagonals& diagonals,
                                  std::span<const double> variances);

/// Of all `dimension` attributes, where `known` has those of `places` alone: NaN elsewhere. None of none.
std::vector<double> spread_out(std::span<const double> known, std::span<const Attribute> places,
                               std::size_t dimension);
Importances spread_out(const Importances& known, std::span<const Attribute> places, std::size_t dimension);

/// Of attributes of more indicators than this the importance is not known: it takes C³ for C indicators.
inline constexpr std::size_t kMostWeighedTogether = 256;

/// Importances of attributes of categories: what the expected error is larger by without all indicators F of
/// one, the other features refitted. It is put in the attribute's own slot, which is no feature. In the terms
/// of attribute_importances() it is (2α − α²)·w_FᵀBw_F, B = ((A⁻¹)_FF)⁻¹, and its standard error
/// √(4w_FᵀBVBw_F + 2tr(BVBV)), V the covariance of w_F: `variances` on its diagonal, and the correlations of
/// (A⁻¹Ĉ₊A⁻¹)_FF, as the indicators of an attribute are seen together. Blocks of A⁻¹ are reckoned as the
/// diagonals in inverse_diagonals(). O(C²r + C³) for C indicators, r ≤ 60.
void add_category_importances(const FeatureMap& features, const SolvedFor& solution, const KrylovSpace& space,
                              double ridge, std::span<const double> variances, Importances& importances);

/// Importances for the indicators of all classes together: of each attribute the sum of what the expected
/// squared errors of all indicators rise by without it, as a share of the sum of their variances.
///
/// The indicators sum to 1, so that what noise adds to their importances lies in C − 1 directions, and is
/// dependent. The variance of the sum is C/(C − 1) times that of independent ones: exactly so for two
/// classes, which tell the same twice, and for any number of equally large ones.
class ClassImportances {
 public:
  /// Of the indicator of one class, of this variance. Nothing where it is not known.
  void add(const Importances& importances, double variance);
  /// Empty before the first.
  Importances together() const;

 private:
  Importances sums_;  // of shares times variances, and of squares of their errors
  double variance_ = 0;
  std::size_t count_ = 0;
};

}  // namespace glimpse
