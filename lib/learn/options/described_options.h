#pragma once

#include <string_view>

#include "base/result.h"
#include "learn/options/options.h"

namespace glimpse {

/// The options whose describe() is `text`, for a learner that goes on from a state without the command line
/// that began it. What describe() leaves out, as prices and seed, is as by default, and there is room for any
/// number of pairs. Errors: kMismatch where `text` has a line that this build does not write; kUnavailable
/// for a first-order learner under a limit of cost, which goes by prices that a state does not hold.
Result<LearnerOptions> described_options(std::string_view text);

}  // namespace glimpse
