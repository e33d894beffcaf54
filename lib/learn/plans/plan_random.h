#pragma once

#include "base/random.h"
#include "base/result.h"
#include "base/state.h"
#include "learn/plans/plan_ahead.h"

namespace glimpse {

/// The two sequences of random numbers that plans are drawn from: they are begun from one and finished from
/// the other (PlanAhead). Kept as "random" and "random.inner" of a state. Thread-safety: none.
struct PlanRandom {
  Random outer;
  Random inner;
};

/// Saves both as they would be if the plans that are begun ahead had not been.
void save_plan_random(State& state, const PlanAhead& ahead, const Random& outer, const Random& inner);

/// What save_plan_random() kept. A state of the first builds has one sequence alone, which determines the
/// other. Error: kCorrupt where one is absent, of another size, or all zeros, which would give zeros for
/// ever.
Result<PlanRandom> restore_plan_random(const State& state);

}  // namespace glimpse
