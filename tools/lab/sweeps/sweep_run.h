#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/experiments/answer_loss.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/named_options.h"
#include "lab/experiments/parallel.h"
#include "lab/sweeps/sweep_data.h"

namespace glimpse {

/// K as a sweep says it: a number, or a part of d.
struct SweepBudget {
  std::string text;         ///< "5", "d/10", "d"
  std::size_t number = 0;   ///< 0: a part of d
  std::size_t divisor = 1;  ///< of d, rounded down

  /// K for data of this dimension; none where there is no such K from 2 to d.
  std::optional<std::size_t> of(std::size_t dimension) const;
};

/// "2,5,d/10,d". The Error (kInvalidOption) names --budgets and the part.
Result<std::vector<SweepBudget>> parse_budgets(std::string_view text);

/// What offline ridge is trained on, with all attributes.
enum class OfflineExamples {
  kPrefix,    ///< the examples that the learner has seen a part of
  kTraining,  ///< the whole training set
  kNone,      ///< there is none
};

/// "prefix", "training" or "none". The Error (kInvalidOption) names --offline.
Result<OfflineExamples> parse_offline(std::string_view text);

/// What is run on each data set.
struct Sweep {
  std::vector<NamedOptions> learners;
  std::vector<SweepBudget> budgets;  ///< where two are the same K the first counts
  MeasuringPoints points;
  std::vector<double>
      factors;  ///< of the rule's λ, for pairwise without a ball: the candidates in hindsight; may be empty
  OfflineExamples offline = OfflineExamples::kPrefix;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
};

/// What offline ridge is called among the learners, leave_one_out_ridge(). Its K is d.
inline constexpr std::string_view kOfflineRidge = "offline ridge";

/// A learner after one prefix in one run. Losses are over that of the mean of the training set's labels.
struct SweepRow {
  std::string set;
  std::string learner;
  std::string budget;  ///< as the sweep says it; "d" for what sees whole examples
  std::string prefix;  ///< the same: a number or "all"
  std::uint64_t seed = 0;
  std::size_t dimension = 0;
  std::size_t attributes_each = 0;  ///< K
  std::uint64_t examples = 0;
  std::uint64_t attributes = 0;       ///< revealed so far
  AnswerLoss loss;                    ///< of the learner
  std::vector<AnswerLoss> trials;     ///< with λ times each factor, and α = 1; empty: no such learner
  std::optional<AnswerLoss> offline;  ///< of offline ridge; none for itself
  double prefix_mean = 0;             ///< of predicting the mean label of the prefix
};

/// Runs all seeds, learners and K on one data set. Rows by seed, learner, K, prefix; runs have the order and
/// the draws of run_experiment(). `progress` expects what there is to do. Memory: a copy of the data set for
/// each seed that threads are at. Errors: those of check() with the name of the set; kInvalidInput where no
/// prefix is within the training set or no K within d.
Result<std::vector<SweepRow>> run_sweep(const std::string& name, const SweepSource& source,
                                        const Sweep& sweep, std::size_t threads, Progress& progress);

}  // namespace glimpse
