#include "learn/plans/plan_random.h"

#include <doctest/doctest.h>

#include "learn/factory.h"

namespace plan_random_test {

using namespace glimpse;

namespace {

constexpr std::uint64_t kZeros[4] = {0, 0, 0, 0};

State saved(const Random& outer, const Random& inner) {
  State state;
  state.begin();
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = 4;
  options.budget = 2;
  save_plan_random(state, PlanAhead(), *make_learner(options).value(), outer, inner);
  return state;
}

}  // namespace

TEST_CASE("plan random: both sequences go on where they were saved") {
  Random outer(7);
  Random inner(8);
  const State state = saved(outer, inner);
  auto restored = restore_plan_random(state);
  REQUIRE(restored.has_value());
  for (int i = 0; i < 5; ++i) {
    CHECK(restored->outer.bits() == outer.bits());
    CHECK(restored->inner.bits() == inner.bits());
  }
}

TEST_CASE("plan random: the one sequence of the first builds determines the other") {
  const Random outer(7);
  State state;
  state.begin();
  state.put_copy<std::uint64_t>("random", outer.state());
  const auto restored = restore_plan_random(state);
  REQUIRE(restored.has_value());
  CHECK(restored->outer.state() == outer.state());
  CHECK(restored->inner.state() == outer.apart().state());
}

TEST_CASE(
    "plan random: a block of which some examples are left is kept, and one that no learner has is refused") {
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = 4;
  options.budget = 2;
  const auto learner = make_learner(options).value();
  const auto restored = [&](const PlanBlock& block) {
    learner->set_plan_block(block);
    State state;
    state.begin();
    save_plan_random(state, PlanAhead(), *learner, Random(7), Random(8));
    return restore_plan_random(state);
  };
  CHECK(restored({5, 3, 8})->block.seed == 5);
  CHECK(restored({5, 3, 8})->block.used == 3);
  CHECK(restored({5, 3, 8})->block.size == 8);
  CHECK_FALSE(restored({5, 8, 8})->block.is_open());
  CHECK_FALSE(restored({})->block.is_open());
  const auto refused = restored({5, 3, PlanBlock::kMost + 1});
  REQUIRE(refused.has_error());
  CHECK(refused.error().code == ErrorCode::kCorrupt);
  CHECK(refused.error().message.starts_with("random.block"));
}

TEST_CASE("plan random: generators of zeros, of another size, or none at all are refused") {
  for (const char* zeros : {"random", "random.inner"}) {
    State state;
    state.begin();
    for (const char* name : {"random", "random.inner"}) {
      if (std::string_view(name) == zeros)
        state.put_copy<std::uint64_t>(name, kZeros);
      else
        state.put_copy<std::uint64_t>(name, Random(7).state());
    }
    const auto restored = restore_plan_random(state);
    REQUIRE(restored.has_error());
    CHECK(restored.error().code == ErrorCode::kCorrupt);
    CHECK(restored.error().message.starts_with(zeros));
  }
  State state;
  state.begin();
  CHECK(restore_plan_random(state).has_error());
  state.put_copy<std::uint64_t>("random", std::span(kZeros).first(3));
  CHECK(restore_plan_random(state).has_error());
}

}  // namespace plan_random_test
