#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/experiments/experiment.h"

namespace glimpse {

/// How well a classifier does on a test set after so many examples.
struct ClassPoint {
  std::uint64_t seed = 0;
  std::uint64_t examples = 0;
  std::size_t classes = 0;
  double error = 0;           ///< share of the test set
  double brier = 0;           ///< mean of Σ_c (p_c − indicator_c)²
  double log_loss = 0;        ///< with the slope that held-out examples of the training set gave
  double usual_log_loss = 0;  ///< with Temperature::kUsual
  double best_log_loss = 0;   ///< with the best slope for the test set
  double slope = 0;
  double seconds = 0;  ///< of the processor, for learning: without models that are asked for
};

/// One run a seed through all measuring points. Labels are classes, in ascending order of their numbers. Of
/// the training set 2 % are held out. Errors: those of check(); kInvalidOption for an offline solver.
Result<std::vector<ClassPoint>> check_classes(const Method& method, const MeasuringPoints& points,
                                              std::uint64_t first_seed, std::uint64_t seeds,
                                              const DataSource& source, const Execution& execution);

/// With a header.
std::string to_csv(const std::vector<ClassPoint>& points);

}  // namespace glimpse
