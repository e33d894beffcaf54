#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/types.h"
#include "learn/options/prices.h"
#include "learn/small_models/forward_selection.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

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

}  // namespace glimpse
