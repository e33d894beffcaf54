#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/experiments/experiment.h"
#include "learn/options/options.h"

namespace glimpse {

/// What it costs to learn a stream in parts, whose learners are merged at the end (MERGING.md).
struct PartsCheck {
  LearnerOptions learner;
  std::vector<std::uint64_t> parts;  ///< how many, each ≥ 1
  /// Examples of the whole after which all parts plan by what all know together, as of then; 0: each part
  /// plans by its own.
  std::uint64_t share_every = 0;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
};

/// Of one seed and number of parts, on the test set: of the daemon's answers, over the zero predictor's loss.
struct PartsPoint {
  std::uint64_t seed = 0;
  std::uint64_t parts = 0;
  std::uint64_t examples = 0;  ///< of all parts together
  double merged = 0;
  double alone = 0;  ///< of the first part's learner
};

/// Example t of the training order is part t mod P's, as of a stream that is dealt out in turn. Errors:
/// those of make_learner() and of merging; kInvalidOption for more parts than examples.
Result<std::vector<PartsPoint>> check_parts(const PartsCheck& check, const DataSource& source,
                                            const Execution& execution);

/// "seed,parts,examples,merged_loss,first_part_loss", with header.
std::string to_csv(const std::vector<PartsPoint>& points);

}  // namespace glimpse
