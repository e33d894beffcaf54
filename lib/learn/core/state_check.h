#pragma once

#include <cstdint>

#include "base/state.h"

namespace glimpse {

/// More than any stream has: a count beyond it is not one.
inline constexpr std::uint64_t kMostExamples = std::uint64_t{1} << 60;

/// Whether a learner can go on from the numbers in `state`, as far as they can be judged without the learner.
/// Every floating-point number must be finite. Exceptions: labels.min and labels.max are infinite while there
/// are no labels, and NaN stands for what is not known of open plans, and of samples of the history. Counts
/// must be possible for a stream. Units, phases and sampling tables must be such as learners have.
/// Learner::restore() asks this first. What a learner itself saves has the right names, types and lengths, so
/// that for a state of save() this is all that restore() can refuse: so a checkpoint is proven before it is
/// written. Errors (kCorrupt) name the array. Cost: one look at every number, no memory. Thread-safety: a
/// pure function.
Status check_state(const State& state);

}  // namespace glimpse
