#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "base/random.h"
#include "base/types.h"
#include "learn/options/prices.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_snapshot.h"

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

/// The features that each attribute brings, those that were seen: its number, or its indicators.
std::vector<std::vector<std::size_t>> features_of_attributes(const PairSnapshot& moments);

/// λ of a choice: that of the full solve, or what makes Ĉ + λI positive definite.
double ridge_of_choice(const SolvedMoments& solved);

/// What a choice may take.
struct ChoiceLimits {
  const Prices* prices = nullptr;  ///< nullptr: nothing is known, and there is no limit of cost
  std::optional<Money> cost;
  bool by_price = false;  ///< the largest fall of the error for its price comes first
  /// Which two may be in one set, and, of two that are the same, which may be in any; none: all.
  std::function<bool(Attribute, Attribute)> together = {};
};

/// Attributes that predict best together, one after another: ForwardSelection on what a full solve was made
/// from. What a gain is expected to be is less what noise makes of it. With w the weights so far and e their
/// error, c_i has a noise of about the variance
///
///     (φ_iR_ii + (1 − φ_i)Ĉ_ii)·e/n_i + Ĉ_iiΣ_j w_j²Ĉ_jj·max(1/N_ij − 1/n_i, 0),
///
/// φ_i the mean of N_ij/n_i over the attributes chosen: of the looks that they share the noise is that of
/// what they leave. The gain of the best of many is the larger by chance, the more of them there are:
/// optimism(), SMALL_MODELS.md.
///
/// Cost: O(d·k) for the k-th feature, beside O(d) random numbers. Thread-safety: none.
class AttributeChoice {
 public:
  /// All that is given outlives it.
  AttributeChoice(const PairSnapshot& moments, const SolvedMoments& solved,
                  const std::vector<std::vector<std::size_t>>& features, const ChoiceLimits& limits);

  /// Adds an attribute; none: there is no other within the limits.
  std::optional<Attribute> next();
  /// From now on there is no limit of cost, and any two may be together.
  void lift_limit();
  /// Of features(), in their order, in the units of the solve, and what error they have.
  void refitted(std::span<const double> weights, double error);

  std::span<const std::size_t> features() const { return selection_.chosen(); }
  /// What the ridge reckons with as the error.
  double error() const { return selection_.left(); }
  /// How much of the gains so far is that of the best of many noises.
  double optimism() const { return optimism_; }

 private:
  struct Candidate;
  double noise_of(std::size_t i) const;
  std::vector<Candidate> candidates() const;
  double optimism_of_choice(const std::vector<Candidate>& all);

  const PairSnapshot& moments_;
  const SolvedMoments solved_;
  const std::vector<std::vector<std::size_t>>& features_;
  ChoiceLimits limits_;
  ForwardSelection selection_;
  std::optional<Bill> bill_;
  std::vector<Attribute> chosen_;
  std::vector<bool> is_out_;      // chosen, or may not be together with what is
  std::vector<double> hidden_;    // Σ_j w_j²Ĉ_jj·max(1/N_ij − 1/n_i, 0)
  std::vector<double> together_;  // φ
  double error_;
  double optimism_ = 0;
  Random random_;
};

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
