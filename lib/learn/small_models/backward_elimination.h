#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace glimpse {

/// The reverse of ForwardSelection: from many features to few, the least useful first. It keeps what predicts
/// together alone, as two coordinates of a place do, of which forward selection takes neither. With B = A⁻¹
/// of the features that are left, and w = Bb̂, the error J that a ridge reckons with grows without features G
/// by w_Gᵀ(B_GG)⁻¹w_G.
///
/// Cost: O(n³) to begin with n features, O(n²·m) to remove m. 16·n² bytes. Thread-safety: none.
class BackwardElimination {
 public:
  /// A = Ĉ + λI among `features`, of d × d numbers as ForwardSelection has them.
  BackwardElimination(std::span<const float> covariances, std::span<const double> target, double ridge,
                      std::span<const std::size_t> features);

  /// By what J grows without these features, places in the span above that are left.
  double rise(std::span<const std::size_t> places) const;
  void remove(std::span<const std::size_t> places);
  /// b̂ᵀA⁻¹b̂ of all features that it began with: what they explain of the label's variance.
  double explained() const { return explained_; }

 private:
  Eigen::MatrixXd inverse_;  // B
  Eigen::VectorXd weights_;  // w
  double explained_ = 0;
};

}  // namespace glimpse
