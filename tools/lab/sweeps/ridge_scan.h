#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/experiments/experiment.h"
#include "learn/pairwise/pairwise.h"

namespace glimpse {

/// The pairwise learner after one prefix of one run: what its rules gave, and what other λ would have given.
/// Losses are those on the test set over the zero predictor's.
struct RidgePoint {
  std::uint64_t seed = 0;
  std::uint64_t examples = 0;
  std::uint64_t attributes = 0;      ///< revealed so far
  double ridge = 0;                  ///< the rule's λ
  double shrink = 0;                 ///< the rule's α
  double loss = 0;                   ///< by the rules, both of λ and of α
  std::vector<double> trial_losses;  ///< with λ times each factor, and α = 1
  double mean_loss = 0;              ///< of predicting the mean label of the prefix
  double reach_loss = 0;             ///< by the rules, with attributes within_reach() of those seen
};

/// All seeds at one prefix.
struct RidgeSummary {
  std::uint64_t examples = 0;
  std::size_t runs = 0;
  double loss = 0;  ///< mean over the seeds, by the rules
  double deviation = 0;
  double best_factor = 0;      ///< of λ, the one whose mean loss is least: the best in hindsight
  double best_loss = 0;        ///< its mean loss
  double best_each_loss = 0;   ///< mean of the least loss of each seed
  double mean_loss = 0;        ///< of predicting the mean
  double worst_over_mean = 0;  ///< largest quotient of a seed's loss by that of predicting the mean
  double reach_loss = 0;       ///< mean, with attributes within_reach() of those seen
  double worst_reach_over_mean = 0;

  double over_best() const { return loss / best_loss; }
  double over_mean() const { return loss / mean_loss; }
  double reach_over_mean() const { return reach_loss / mean_loss; }
};

/// A scan over λ: `budget` attributes of each example, an intercept, no ball.
struct RidgeScan {
  std::size_t budget = 0;
  std::vector<double> factors;
  MeasuringPoints points;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
};

/// Visits the models that the learner would give now with the rule's λ times each factor, and with α = 1: the
/// weights are not drawn towards 0 where there may be no signal. Asks the learner for its model first. One
/// solution a factor. `visit` may not keep what it is given.
void solve_with_factors(const Pairwise& learner, const std::vector<double>& factors,
                        const std::function<void(const Model&)>& visit);

/// Points by seed, prefix; runs have the order and the draws of run_experiment(). Errors: those of check();
/// kInvalidOption without any measuring point or factor.
Result<std::vector<RidgePoint>> scan_ridge(const RidgeScan& scan, const DataSource& source,
                                           const Execution& execution);

/// By prefix.
std::vector<RidgeSummary> summarise(const std::vector<RidgePoint>& points,
                                    const std::vector<double>& factors);

/// "seed,examples,attributes,ridge_factor,ridge,shrink,test_loss_ratio,mean_predictor": a row "rule" and one
/// a factor for each point, with header.
std::string to_csv(const std::vector<RidgePoint>& points, const std::vector<double>& factors);
/// One row a prefix, with header.
std::string to_csv(const std::vector<RidgeSummary>& summary);

}  // namespace glimpse
