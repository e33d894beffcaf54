#pragma once

#include "base/random.h"
#include "base/result.h"
#include "base/state.h"
#include "learn/plans/plan_ahead.h"

namespace glimpse {

/// The two sequences of random numbers that plans are drawn from: they are begun from one and finished from
/// the other (PlanAhead). Kept as "random" and "random.inner" of a state, and the block of examples that have
/// one plan, amid which it is, as "random.block". Thread-safety: none.
struct PlanRandom {
  Random outer;
  Random inner;
  PlanBlock block;  ///< for Learner::set_plan_block(), once the learner was restored
};

/// Saves them as they would be if the plans that are begun ahead had not been.
void save_plan_random(State& state, const PlanAhead& ahead, const Learner& learner, const Random& outer,
                      const Random& inner);

/// What save_plan_random() kept. A state of the first builds has one sequence alone, which determines the
/// other, and those of earlier ones no block. Error: kCorrupt where one is absent, of another size, or all
/// zeros, which would give zeros for ever; or where a block is of more examples than any.
Result<PlanRandom> restore_plan_random(const State& state);

}  // namespace glimpse
