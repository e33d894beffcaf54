#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/experiments/experiment.h"
#include "lab/sweeps/sweep_data.h"
#include "lab/sweeps/sweep_run.h"

namespace glimpse {

/// A data set that was run.
struct SweptSet {
  std::string name;
  std::size_t dimension = 0;
  std::size_t training = 0;  ///< examples
  std::size_t test = 0;
};

/// A sweep over several data sets.
struct SweepResult {
  std::vector<SweepRow> rows;        ///< by data set, then as run_sweep() has them
  std::vector<SweptSet> sets;        ///< in the order given
  std::vector<std::string> skipped;  ///< tables of a folder that were left out: name and reason
};

/// Runs one data set after another, each on all threads, so that one is in memory at a time. A table of a
/// folder that cannot be read or is too small is left out; another data set that cannot is the Error. Options
/// of a learner that are wrong are one as well.
Result<SweepResult> run_sweeps(const std::vector<SweepSet>& sets, const Sweep& sweep,
                               const Execution& execution);

}  // namespace glimpse
