#pragma once

#include <cstddef>

#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// The state of a pairwise or pairwise-screened learner, of a checkpoint, with more attributes: `dimension`
/// in all. The new ones stand behind those that there were, and are as if nobody had ever looked at them. The
/// sampling is planned again after the next example. Arrays that are not of the learner stay as they are.
/// `active`: active_limit() of so many attributes, where all could be active before. O(size of the state).
/// Errors: kMismatch, for the state of another learner and for fewer attributes;
/// kCorrupt.
Result<State> with_more_attributes(const State& state, std::size_t dimension, std::size_t active);

/// The state with another budget in its options. Errors: as above.
Result<State> with_budget(const State& state, std::size_t budget);

}  // namespace glimpse
