#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/options/options.h"

namespace glimpse {

/// The value of an option of the learner whose state this is, as describe() wrote it; empty: the state does
/// not say. Valid as long as the state.
std::string_view option_of(const State& state, std::string_view name);

/// The same where it is a whole number; 0: the state does not say.
std::size_t number_of(const State& state, std::string_view name);

/// The names of several labels, as label_line() wrote them: of option_of(state, "labels"). Empty: of one
/// label.
std::vector<std::string> labels_of(std::string_view line);

/// The options whose describe() is `text`, for a learner that goes on from a state without the command line
/// that began it. What describe() leaves out, as prices and seed, is as by default, and there is room for any
/// number of pairs. Errors: kMismatch where `text` has a line that this build does not write; kUnavailable
/// for a first-order learner under a limit of cost, which goes by prices that a state does not hold.
Result<LearnerOptions> described_options(std::string_view text);

}  // namespace glimpse
