#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learn/linalg/spectral_solver.h"

namespace glimpse {

/// The λ of ridge regression that makes the labels most likely, from the moments of n examples alone.
///
/// With C = XᵀX/n, b = Xᵀy/n and v = yᵀy/n of centred columns, the logarithm of the marginal likelihood of
/// y ~ N(0, σ²(I + XXᵀ/(nλ))) is, with σ² maximised out and up to constants,
///
///     L(λ) = −½(n − 1)·log(v − bᵀ(C + λI)⁻¹b) − ½·log det(I + C/λ)
///
/// (Bishop, "Pattern recognition and machine learning", 2006, 3.5). The determinant depends on C alone, so
/// that one RidgeEvidence serves the labels that share it. It is exact up to kExact attributes. Beyond,
/// stochastic Lanczos quadrature estimates it from kProbes random signs (Ubaru, Chen & Saad, "Fast estimation
/// of tr(f(A)) via stochastic Lanczos quadrature", 2017): always the same ones. Thread-safety: none.
class RidgeEvidence {
 public:
  static constexpr std::size_t kExact = 128;
  static constexpr std::size_t kProbes = 2;
  static constexpr std::size_t kProbeSteps = 32;  ///< of Lanczos

  /// C, d × d, of which the diagonal and what is above it is read. O(d³), and kProbes·kProbeSteps·d² beyond
  /// kExact attributes.
  void begin(std::span<const float> matrix, std::size_t dimension, const Multiply& multiply);
  /// λ, where `space` is that of C and b. The largest that is tried where no attribute explains the labels.
  double most_likely(const KrylovSpace& space, double label_square, double examples) const;

 private:
  double log_determinant(double ridge) const;

  double scale_ = 0;             // the mean of C's diagonal
  std::vector<double> values_;   // C's eigenvalues, or what stands for them
  std::vector<double> weights_;  // how many each is
};

}  // namespace glimpse
