#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace glimpse {

/// Which features explain a label best together, chosen one after another. A = Ĉ + λI, b̂: the moments that a
/// model is solved from. Of the features F chosen so far it keeps, for every feature,
///
///     R_ij = A_ij − A_iF A_FF⁻¹ A_Fj,   c_i = b̂_i − A_iF A_FF⁻¹ b̂_F,
///
/// the diagonal of R and all of c. With feature i as well the error that a ridge reckons with, J of
/// attribute_importance.h, is less by c_i²/R_ii. Only the columns of R of what was chosen are kept: a partial
/// Cholesky factor, A_FF = LLᵀ. A may be indefinite where pairs are hardly known: no R_ii falls below
/// kLeastLeft·A_ii.
///
/// Cost: O(d·k) for the k-th feature, so O(d·k²) for all, 8·d·k bytes. Thread-safety: none.
class ForwardSelection {
 public:
  static constexpr double kLeastLeft = 0.02;

  /// `covariances`: Ĉ, d × d, row after row, of which the diagonal and what is above it is read. It outlives
  /// this. `variance`: of the label; no gain is above what is left of it.
  ForwardSelection(std::span<const float> covariances, std::span<const double> target, double variance,
                   double ridge);

  std::size_t dimension() const { return target_.size(); }
  std::span<const std::size_t> chosen() const { return chosen_; }
  /// c_i and R_ii.
  double target(std::size_t i) const { return target_[i]; }
  double variance(std::size_t i) const { return variance_[i]; }
  /// By what J falls with feature i.
  double gain(std::size_t i) const {
    return variance_[i] > 0 ? std::min(target_[i] * target_[i] / variance_[i], left_) : 0;
  }
  /// The same of some features together: c_FᵀR_FF⁻¹c_F. O(m²·(m + k)) for m features.
  double gain(std::span<const std::size_t> features) const;

  /// A feature that was not chosen yet.
  void add(std::size_t i);
  /// J of all that was chosen: the label's variance less all gains.
  double left() const { return left_; }

 private:
  double covariance(std::size_t i, std::size_t j) const;
  void read_row(std::size_t i, std::span<double> row) const;
  double residual(std::size_t i, std::size_t j) const;

  std::span<const float> covariances_;
  double ridge_;
  double left_;                   // of the label's variance
  std::vector<double> least_;     // of R_ii
  std::vector<double> target_;    // c
  std::vector<double> variance_;  // R_ii
  std::vector<std::size_t> chosen_;
  std::vector<std::vector<double>> columns_;  // of L, all d rows
};

}  // namespace glimpse
