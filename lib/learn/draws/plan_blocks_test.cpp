#include "learn/draws/plan_blocks.h"

#include <doctest/doctest.h>
#include <vector>

#include "learn/costs_test_support.h"

namespace plan_blocks_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions pairwise_of(std::size_t dimension, std::size_t budget) {
  return options_of("pairwise", dimension, budget);
}

// A plan of one attribute, drawn from 1,000; counts how often it was asked.
struct Drawer {
  mutable int drawn = 0;
  void operator()(Random& random, Plan& plan) const {
    ++drawn;
    plan.clear();
    plan.attributes.push_back(static_cast<Attribute>(random.below(1000)));
  }
};

}  // namespace

TEST_CASE("plan blocks: M grows with the examples, so that 12,000 sets are among them") {
  const PlanBlocks blocks(pairwise_of(10, 5));
  for (const auto& [examples, size] :
       std::vector<std::pair<std::uint64_t, std::uint32_t>>{{0, 1},
                                                            {23999, 1},
                                                            {24000, 2},
                                                            {47999, 2},
                                                            {48000, 4},
                                                            {96000, 8},
                                                            {192000, 16},
                                                            {~std::uint64_t{0}, 16}})
    CHECK(blocks.size_after(examples) == size);
}

TEST_CASE("plan blocks: and so that these show each pair once in the mean") {
  const PlanBlocks blocks(pairwise_of(500, 5));  // 249,500/20 = 12,475 sets
  CHECK(blocks.size_after(24940) == 1);
  CHECK(blocks.size_after(24960) == 2);
  CHECK(blocks.size_after(12480 * 16) == 16);
  CHECK(PlanBlocks(pairwise_of(100, 1)).size_after(1'000'000) == 1);
  CHECK(PlanBlocks(pairwise_of(1, 1)).size_after(1'000'000) == 1);
}

TEST_CASE("plan blocks: a half-life bounds the examples that are remembered") {
  LearnerOptions options = pairwise_of(10, 5);
  options.half_life = 20'000;  // 28,854 remembered
  CHECK(PlanBlocks(options).size_after(1'000'000) == 2);
  options.half_life = 16'000;
  CHECK(PlanBlocks(options).size_after(1'000'000) == 1);
}

TEST_CASE(
    "plan blocks: every example has a plan of its own within a limit of cost, with products and with --drift "
    "auto") {
  LearnerOptions priced = pairwise_of(10, 5);
  priced.prices = prices_of(std::vector<Money>(10, 1));
  priced.budget_cost = 4;
  CHECK(PlanBlocks(priced).size_after(1'000'000) == 1);
  LearnerOptions products = pairwise_of(10, 5);
  products.products = 2;
  CHECK(PlanBlocks(products).size_after(1'000'000) == 1);
  LearnerOptions watched = pairwise_of(10, 5);
  watched.drift = Drift::kAuto;
  CHECK(PlanBlocks(watched).size_after(1'000'000) == 1);
}

TEST_CASE("plan blocks: M examples have the plan that is drawn once, from a seed that is drawn once") {
  PlanBlocks blocks(pairwise_of(10, 5));
  Random random(3);
  Random twin(3);
  Drawer draw;
  Plan plan;
  for (int block = 1; block <= 50; ++block) {
    Random own(twin.bits());
    const auto expected = static_cast<Attribute>(own.below(1000));
    for (int m = 0; m < 4; ++m) {
      blocks.next(random, 48000, plan, draw);
      CHECK(plan.attributes == std::vector<Attribute>{expected});
      CHECK(draw.drawn == block);
      CHECK(random.state() == twin.state());
    }
  }
}

TEST_CASE("plan blocks: estimates of M examples tell less than M by themselves") {
  const PlanBlocks blocks(pairwise_of(10, 5));
  CHECK(blocks.effect_after(1000) == 1);
  CHECK(blocks.effect_after(192'000) == doctest::Approx(1 + 15 * 0.07));
  CHECK(PlanBlocks(pairwise_of(10, 10)).effect_after(192'000) == 1);
}

TEST_CASE("plan blocks: while M is 1 plans are drawn from the sequence itself") {
  PlanBlocks blocks(pairwise_of(10, 5));
  Random random(3);
  Random twin(3);
  Drawer draw;
  Plan plan;
  blocks.next(random, 100, plan, draw);
  CHECK(plan.attributes.front() == twin.below(1000));
  CHECK(random.state() == twin.state());
  CHECK_FALSE(blocks.block().is_open());
}

TEST_CASE("plan blocks: a block goes on where it was, here or elsewhere, and ends when it is told to") {
  PlanBlocks blocks(pairwise_of(10, 5));
  Random random(3);
  Drawer draw;
  Plan plan;
  blocks.next(random, 48000, plan, draw);
  const PlanBlock amid = blocks.block();
  CHECK(amid.used == 1);
  const Plan first = plan;
  // Over the end of the block, and back.
  const Random::State before = random.state();
  for (int m = 0; m < 5; ++m) blocks.next(random, 48000, plan, draw);
  CHECK(plan.attributes != first.attributes);
  random = Random::from_state(before);
  blocks.set_block(amid);
  blocks.next(random, 48000, plan, draw);
  CHECK(plan.attributes == first.attributes);
  CHECK(random.state() == before);

  PlanBlocks elsewhere(pairwise_of(10, 5));
  elsewhere.set_block(amid);
  elsewhere.next(random, 48000, plan, draw);
  CHECK(plan.attributes == first.attributes);
  CHECK(elsewhere.block().used == 2);

  elsewhere.end();
  elsewhere.next(random, 48000, plan, draw);
  CHECK(plan.attributes != first.attributes);
  CHECK(elsewhere.block().used == 1);
}

TEST_CASE("plan blocks: one that was kept before there was a limit of cost is not gone on with") {
  LearnerOptions priced = pairwise_of(10, 5);
  priced.prices = prices_of(std::vector<Money>(10, 1));
  priced.budget_cost = 4;
  PlanBlocks blocks(priced);
  blocks.set_block({7, 1, 4});
  CHECK_FALSE(blocks.block().is_open());
}

}  // namespace plan_blocks_test
