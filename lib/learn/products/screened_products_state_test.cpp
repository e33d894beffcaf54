#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "learn/core/solving.h"
#include "learn/products/screened_test_support.h"
#include "stats/pair_moments.h"

// Checkpoints of products of pairwise-screened.
namespace screened_products_state_test {

using namespace glimpse;
using namespace glimpse::test;
using namespace glimpse::test::wide;

TEST_CASE("everything goes on to the bit after a restart, on any thread that solves") {
  for (const std::size_t degree : {2, 3}) {
    for (const int before : {10, 2000, 6000, 17000}) {
      LearnerOptions options = screened(degree);
      if (before == 6000) options.half_life = 5000;
      auto learner = make_learner(options).value();
      Wide stream(1);
      Random random(2);
      learn(*learner, stream, random, before);
      const State state = saved(*learner);
      auto restored = make_learner(options).value();
      REQUIRE(restored->restore(state).has_value());
      Wide same = stream;
      Random draws = random;
      restored->solving()->begin_capture();
      while (!restored->solving()->capture(1000)) continue;
      restored->solving()->adopt(restored->solving()->solve({}));
      learn(*learner, stream, random, 9000);
      learn(*restored, same, draws, 9000);
      CHECK(learner->progressive_loss().total().mean == restored->progressive_loss().total().mean);
      restored->solving()->begin_capture();
      while (!restored->solving()->capture(1000)) continue;
      restored->solving()->adopt(restored->solving()->solve({}));
      const auto a = learner->shared_model();
      const auto b = restored->shared_model();
      CHECK(a->weights == b->weights);
      CHECK(a->products == b->products);
      CHECK(a->centres == b->centres);
    }
  }
}

TEST_CASE("a state of other places for products is refused with what mends it") {
  LearnerOptions all = screened();
  all.dimension = 30;
  all.active = 30;
  LearnerOptions some = all;
  some.pair_memory = PairMoments::memory_bytes(30 + 78);
  const auto state_of = [](LearnerOptions of) {
    auto learner = make_learner(of).value();
    Wide stream(1);
    Random random(2);
    learn(*learner, stream, random, 4000);
    return saved(*learner);
  };
  const auto refusal = [](LearnerOptions of, const State& state) {
    const Status status = make_learner(of).value()->restore(state);
    REQUIRE(status.has_error());
    CHECK(status.error().code == ErrorCode::kMismatch);
    return status.error().message;
  };
  LearnerOptions fewer = some;
  fewer.pair_memory = PairMoments::memory_bytes(30 + 10);
  CHECK(refusal(fewer, state_of(some)) ==
        "the state has products of 12 attributes at a time, and --pair-memory has room for those of 4: start "
        "with the --pair-memory that it was made with");
  CHECK(
      refusal(some, state_of(all)) ==
      "the state has products of all attributes, and --pair-memory has room for those of 12: start with the "
      "--pair-memory that it was made with");
  CHECK(refusal(all, state_of(some)) ==
        "the state has products of some attributes at a time, and --pair-memory has room for those of all: "
        "start with the --pair-memory that it was made with");
}

TEST_CASE("states of no members, partners or models that there could be are refused") {
  auto learner = make_learner(screened()).value();
  Wide stream(1);
  Random random(2);
  learn(*learner, stream, random, 20000);
  const auto refuses = [&](const auto& change) {
    State state = saved(*learner);
    change(state);
    auto other = make_learner(screened()).value();
    const Status status = other->restore(state);
    return status.has_error() && status.error().code == ErrorCode::kCorrupt;
  };
  const auto members = as_screened(*learner).members().size();
  REQUIRE(members >= 2);
  const std::vector<std::uint32_t> beyond(members, kActive);
  CHECK(refuses([&](State& state) { state.put_copy<std::uint32_t>("products.members", beyond); }));
  CHECK(refuses([&](State& state) {
    state.put_copy<std::uint32_t>("products.partners", std::vector<std::uint32_t>{3, kMany});
  }));
  CHECK(refuses([&](State& state) { state.put_number("products.tried", -1.0); }));
  CHECK(!refuses([](State&) {}));
}

}  // namespace screened_products_state_test
