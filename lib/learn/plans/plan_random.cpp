#include "learn/plans/plan_random.h"

#include <algorithm>

namespace glimpse {

namespace {

Result<Random> restore_random(const State& state, const char* name) {
  GLIMPSE_TRY_ASSIGN(const auto words, state.get<std::uint64_t>(name, 4));
  if (std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; }))
    return failure(ErrorCode::kCorrupt,
                   "{}: a generator of random numbers is all zeros, which gives zeros for ever", name);
  return Random::from_state({words[0], words[1], words[2], words[3]});
}

Result<PlanBlock> restore_block(const State& state) {
  if (state.find("random.block") == nullptr) return PlanBlock();
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("random.block", 3));
  const std::uint64_t used = numbers[1];
  const std::uint64_t size = numbers[2];
  if (used >= size || size > PlanBlock::kMost)
    return failure(ErrorCode::kCorrupt, "random.block has {} of {} examples, must have fewer than all of {}",
                   used, size, PlanBlock::kMost);
  return PlanBlock{numbers[0], static_cast<std::uint32_t>(used), static_cast<std::uint32_t>(size)};
}

}  // namespace

void save_plan_random(State& state, const PlanAhead& ahead, const Learner& learner, const Random& outer,
                      const Random& inner) {
  state.put_copy<std::uint64_t>("random", ahead.state(outer));
  state.put_copy<std::uint64_t>("random.inner", inner.state());
  const PlanBlock block = ahead.block(learner);
  if (!block.is_open()) return;
  const std::uint64_t numbers[] = {block.seed, block.used, block.size};
  state.put_copy<std::uint64_t>("random.block", numbers);
}

Result<PlanRandom> restore_plan_random(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto outer, restore_random(state, "random"));
  if (state.find("random.inner") == nullptr) return PlanRandom{outer, outer.apart(), {}};
  GLIMPSE_TRY_ASSIGN(const auto inner, restore_random(state, "random.inner"));
  GLIMPSE_TRY_ASSIGN(const auto block, restore_block(state));
  return PlanRandom{outer, inner, block};
}

}  // namespace glimpse
