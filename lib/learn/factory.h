#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "learn/core/learner.h"
#include "learn/options/options.h"
#include "stats/second_moments.h"

namespace glimpse {

/// The learner that options.algorithm names. `known`: the moments of --moments FILE, or nullptr. Errors
/// (kInvalidOption) as on the command line.
Result<std::unique_ptr<Learner>> make_learner(const LearnerOptions& options,
                                              const SecondMoments* known = nullptr);

}  // namespace glimpse
