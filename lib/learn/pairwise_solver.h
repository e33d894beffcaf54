#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "learn/learner.h"
#include "learn/spectral_solver.h"
#include "stats/pair_moments.h"

namespace glimpse {

/// What a solution chose, in the units of attribute_units().
struct PairwiseChoice {
  double ridge = 0;   ///< λ
  double shrink = 1;  ///< α: what the weights were multiplied by, from 0 to 1
};

/// A linear model from pair moments, without anything to tune:
///
///     w = α·(Ĉ₊ + λI)⁻¹b̂,   prediction ȳ + ⟨w, x − μ⟩
///
/// Ĉ and b̂ are the moments about the means, in attribute_units(), shrunk towards pairs that are not
/// correlated: Ĉ_ij = S_ij/(N_ij + 1), Ĉ_ii = (S_ii + ½v̄)/(n_i + ½), b̂_i = S_iy/(n_i + 1), v̄ the pooled
/// variance. Ĉ is indefinite as a rule; Ĉ₊ is its positive part, taken as f(Ĉ)b̂ with f(x) = 1/(max(x, 0) + λ)
/// in a Krylov space, so that no eigen-decomposition of d × d numbers is needed.
///
/// λ is the level of the noise in Ĉ: with V_ij = Ĉ_iiĈ_jj/(N_ij + 1) the variance of an off-diagonal entry,
/// λ = (1.2 − 0.45·s)·√‖V‖₂. √‖V‖₂ is about half of the spectral norm that noise of these variances has (for
/// equal variances that is the edge of Wigner's semicircle). s is the mean of N_ij/(N_ij + 1), weighted with
/// Ĉ_iiĈ_jj: how often pairs were seen. Where they were, part of Ĉ's noise is that of b̂ as well and does no
/// harm; where they were not, Ĉ lacks what correlation there is, and w would be too long. A variance that is
/// itself uncertain adds to its attribute's ridge, Ĉ_ii/√(effective number of reveals).
///
/// α is 1 as soon as it is certain that there is something to learn. δ is the difference of b̂'s two halves of
/// the examples: it holds b̂'s noise, at the same variance, and no signal. With p = (Σδ²)²/Σδ⁴ the number of
/// attributes over which it spreads, t = √p·(b̂ᵀf(Ĉ)b̂/δᵀf(Ĉ)δ − 1 − 2/p) and α = t/(1 + 6/√p), cut to [0, 1]:
/// without any signal the quotient is about 1 + 2/p ± 2/√p, as that of two χ² of p degrees, and what is
/// predicted is little more than the mean.
///
/// With `radius` attributes keep their own units, and λ grows until ‖w‖₂ ≤ radius. Without `bias`, moments
/// are taken about 0. What was tried and measured: PAIRWISE.md.
///
/// Cost: about 70 products with a d × d matrix of floats, 4·d² bytes of memory that are kept between calls.
/// Deterministic. Thread-safety: none; `moments` is only read.
class PairwiseSolver {
 public:
  /// For experiments that look for a better rule: λ is multiplied by `factor`, and with `always_open` α is 1.
  void set_trial(double factor, bool always_open) {
    ridge_factor_ = factor;
    always_open_ = always_open;
  }

  PairwiseChoice solve(const PairMoments& moments, bool bias, std::optional<double> radius, Model& model);

 private:
  double signal_share(double total, double noise) const;
  void prepare(const PairMoments& moments, bool bias, bool own_units);
  double noise_level(const PairMoments& moments);
  void fill_covariances(const PairMoments& moments);
  void multiply(std::span<const double> x, std::span<double> y) const;

  double ridge_factor_ = 1;
  bool always_open_ = false;

  std::size_t d_ = 0;
  std::vector<double> units_;
  std::vector<double> centre_;    // μ, or 0
  std::vector<double> variance_;  // Ĉ_ii
  std::vector<double> target_;    // b̂
  std::vector<double> noise_;     // δ
  std::vector<double> weights_;
  LargeArray<float> matrix_;  // d × d
  KrylovSpace space_;
};

}  // namespace glimpse
