#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/experiments/experiment.h"

namespace glimpse {

/// One model of a few attributes after so many examples, beside what is true of it.
struct SmallModelPoint {
  std::uint64_t seed = 0;
  std::uint64_t examples = 0;
  std::size_t attributes = 0;
  std::size_t added = 0;  ///< to those of one fewer
  double told = 0;        ///< expected squared error, over the mean's on the test set; the others as well
  double told_error = 0;  ///< its standard error
  double exported = 0;    ///< on the test set, as the model is
  double clipped = 0;     ///< the same of the daemon's answers
  double best = 0;        ///< of the best subset by the whole training set; NaN: too many subsets
  double chosen = 0;      ///< of this subset, by the whole training set
};

/// How good small models are, and what is told of them: one run a seed through all measuring points, models
/// of 1 to `most` attributes.
Result<std::vector<SmallModelPoint>> check_small_models(const Method& method, const MeasuringPoints& points,
                                                        std::uint64_t first_seed, std::uint64_t seeds,
                                                        const DataSource& source, const Execution& execution);

/// With a header.
std::string to_csv(const std::vector<SmallModelPoint>& points);

}  // namespace glimpse
