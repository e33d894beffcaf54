#include "learn/plans/plan_random.h"

#include <algorithm>

namespace glimpse {

namespace {

Result<Random> restore_random(const State& state, const char* name) {
  const auto words = state.get<std::uint64_t>(name, 4);
  if (!words) return words.error();
  if (std::ranges::all_of(*words, [](std::uint64_t word) { return word == 0; }))
    return failure(ErrorCode::kCorrupt,
                   "{}: a generator of random numbers is all zeros, which gives zeros for ever", name);
  return Random::from_state({(*words)[0], (*words)[1], (*words)[2], (*words)[3]});
}

}  // namespace

void save_plan_random(State& state, const PlanAhead& ahead, const Random& outer, const Random& inner) {
  state.put_copy<std::uint64_t>("random", ahead.state(outer));
  state.put_copy<std::uint64_t>("random.inner", inner.state());
}

Result<PlanRandom> restore_plan_random(const State& state) {
  const auto outer = restore_random(state, "random");
  if (!outer) return outer.error();
  if (state.find("random.inner") == nullptr) return PlanRandom{*outer, outer->apart()};
  const auto inner = restore_random(state, "random.inner");
  if (!inner) return inner.error();
  return PlanRandom{*outer, *inner};
}

}  // namespace glimpse
