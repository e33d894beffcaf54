#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/experiments/experiment.h"

namespace glimpse {

/// What a learner says of its own loss, from the attributes it looked at alone, beside the loss on the test
/// set. Both over the zero predictor's there.
struct ProgressivePoint {
  std::uint64_t seed = 0;
  std::uint64_t examples = 0;
  double progressive = 0;  ///< ProgressiveLoss::recent(), of the last half of the examples
  double error = 0;        ///< its standard error
  double test_loss = 0;    ///< of the model at that point
};

/// One run a seed and measuring point, with the order and the draws of run_experiment(). Errors:
/// those of check(); kInvalidOption for an offline solver.
Result<std::vector<ProgressivePoint>> check_progressive(const Method& method, const MeasuringPoints& points,
                                                        std::uint64_t first_seed, std::uint64_t seeds,
                                                        const DataSource& source, const Execution& execution);

/// "seed,examples,progressive_loss,standard_error,test_loss", with header.
std::string to_csv(const std::vector<ProgressivePoint>& points);

}  // namespace glimpse
