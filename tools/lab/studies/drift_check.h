#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/experiments/experiment.h"
#include "learn/options/options.h"

namespace glimpse {

/// After how many examples a change is noticed in a stream that is learned in parts, as a fleet's is: by all
/// parts together (losses_rose()), and by each alone.
///
/// The stream: d values of −1 or 1, fair and independent; the label is the sum of all of them, and noise
/// that is evenly spread over ±1. From one example on `changed` of the d count with the other sign.
struct DriftCheck {
  LearnerOptions learner;  ///< of --drift auto
  std::vector<std::uint64_t> parts;
  std::uint64_t before = 20'000;  ///< examples until the change, of all parts together
  std::uint64_t after = 100'000;  ///< at most so many behind it
  std::uint64_t changed = 1;
  std::uint64_t every = 100;  ///< examples of all parts between two looks of all together
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
};

/// Of one seed and number of parts, in examples of all parts together since the change. `after` + 1: never.
struct DriftPoint {
  std::uint64_t seed = 0;
  std::uint64_t parts = 0;
  std::uint64_t together = 0;
  std::uint64_t first_alone = 0;   ///< until the first of the parts noticed it alone
  std::uint64_t middle_alone = 0;  ///< until half of them did
  std::uint64_t last_alone = 0;
  std::uint64_t false_alarms = 0;  ///< of all together, before the change
};

/// Errors: those of make_learner().
Result<std::vector<DriftPoint>> check_drift(const DriftCheck& check, const Execution& execution);

/// "seed,parts,together,first_alone,middle_alone,last_alone,false_alarms", with header.
std::string to_csv(const std::vector<DriftPoint>& points);

}  // namespace glimpse
