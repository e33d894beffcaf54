#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/experiments/experiment.h"

namespace glimpse {

/// Predictions of the pairwise learner for test examples of which a random part is known.
struct PartialCheck {
  std::size_t budget = 5;
  MeasuringPoints points;
  std::vector<double> shares;          ///< of the attributes that are known, from 0 to 1
  std::vector<std::size_t> purchases;  ///< how many further ones to choose, from the first share; ascending
  std::size_t predictions = 400;       ///< examples of each test set
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
};

/// One predictor at one point: means over the test examples of all seeds.
struct PartialScore {
  std::uint64_t examples = 0;  ///< learned from
  double share = 0;            ///< known
  std::size_t bought = 0;      ///< and chosen further ones
  std::string rule;            ///< see check_partial()
  double error = 0;            ///< root mean squared error
  double over_full = 0;        ///< over that of the model with all attributes
  double honesty = 0;          ///< mean of error²/standard error²: 1 is right
  double within = 0;           ///< share of the errors within two standard errors
};

/// Rules: `full` (all attributes known), `mean` (each unknown one by its mean, independence), `conditional`
/// (PartialPrediction), `exact` (the same with the covariances of the whole training set, for comparison).
/// After purchases all predict with `conditional`; what is chosen: `random`, `weights` (by |w_i| times the
/// standard deviation), `greedy` (best_next()), `greedy-exact` (greedy with the covariances of the whole
/// training set). Errors: those of check(); kInvalidOption.
Result<std::vector<PartialScore>> check_partial(const PartialCheck& check, const DataSource& source,
                                                const Execution& execution);

/// "examples,known,bought,rule,rmse,over_full,honesty,within_two", with header.
std::string to_csv(const std::vector<PartialScore>& scores);

}  // namespace glimpse
