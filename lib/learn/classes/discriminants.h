#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learn/core/class_model.h"

namespace glimpse {

/// What discriminants() are made of: of each class its least-squares model w_c = A⁻¹b_c, one class after
/// another. A is the regularised covariance of the attributes, b_c that of the attributes with the indicator
/// of class c.
struct ClassTargets {
  std::vector<double> counts;       ///< n_c, how often each class came; C numbers. π_c = n_c/n
  std::vector<double> weights;      ///< w_c
  std::vector<double> covariances;  ///< b_c
  std::vector<double> centres;      ///< μ, of each attribute
  double in_sample = 0;             ///< f: what noise adds to a squared canonical correlation
};

/// Linear discriminant analysis out of least squares: classes are normal about their means m_c = μ + b_c/π_c
/// with the covariance W = A − Σ_c b_cb_cᵀ/π_c within classes, so
///
///     δ_c(x) = log π_c + (m_c − μ)ᵀW⁻¹(x − μ) − ½(m_c − μ)ᵀW⁻¹(m_c − μ).
///
/// With D = diag(π), G_cc' = b_cᵀw_c' and the matrix inversion lemma W⁻¹B D⁻¹ = A⁻¹B D^−½ (I − H)⁻¹ D^−½, H =
/// D^−½ G D^−½, all of it in C × C numbers (Hastie, Tibshirani & Buja 1994, "Flexible discriminant
/// analysis"). H's eigenvalues are the squared canonical correlations. They are too large by f, as w_c and
/// b_c come from the same examples, and cut to [0, kMostExplained] after that is taken away: without it W
/// would be nearly singular where examples are few, and every probability 0 or 1. log π_c is that of
/// class_priors(). O(C³ + C²·slots).
ClassModel discriminants(const ClassTargets& targets);

/// The least of it: no direction within classes has less than this much of its variance.
inline constexpr double kMostExplained = 0.999;

}  // namespace glimpse
