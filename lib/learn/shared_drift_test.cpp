#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <vector>

#include "learn/evaluation/watched_losses.h"
#include "learn/factory.h"
#include "learn/turning_stream_test_support.h"

// Several learners of one stream, as the partitions of a fleet are, decide together that it has changed.
namespace shared_drift_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions options_for(const std::string& algorithm) {
  LearnerOptions options = turning_options(algorithm);
  options.drift = Drift::kAuto;
  return options;
}

struct Learners {
  std::vector<std::unique_ptr<Learner>> learners;
  std::vector<Random> randoms;
  std::vector<TurningStream> streams;

  Learners(const std::string& algorithm, std::size_t count) {
    for (std::size_t p = 0; p < count; ++p) {
      learners.push_back(make_learner(options_for(algorithm)).value());
      learners.back()->watch_together();
      randoms.emplace_back(p + 1);
      streams.emplace_back(p + 100);
    }
  }
  void take(double sign, int examples) {
    for (std::size_t p = 0; p < learners.size(); ++p)
      learn(*learners[p], randoms[p], streams[p], sign, examples);
  }
  std::optional<SharedRise> judge() const {
    std::vector<WatchedLosses> losses;
    for (const auto& learner : learners) losses.push_back(WatchedLosses::restore(saved(*learner)).value());
    std::vector<const WatchedLosses*> all;
    for (const WatchedLosses& of : losses) all.push_back(&of);
    return losses_rose(all);
  }
};

}  // namespace

TEST_CASE("shared drift: learners that watch together notice a turn early, forget it, and learn the new") {
  for (const char* const algorithm : {"pairwise", "aerr", "two-phase-ddaerr"}) {
    CAPTURE(algorithm);
    Learners four(algorithm, 4);
    for (int round = 0; round < 10; ++round) {
      four.take(1, 400);
      CHECK_FALSE(four.judge());
    }
    const double level = held_out(*four.learners[0], 1);
    std::optional<SharedRise> rise;
    int taken = 0;
    for (; taken < 1000 && !rise; taken += 8) {
      four.take(-1, 8);
      rise = four.judge();
    }
    REQUIRE(rise.has_value());
    CHECK(taken <= 64);  // the least that one alone compares
    CHECK(rise->after > rise->before);
    CHECK(rise->since < 0.1);
    for (const auto& learner : four.learners) CHECK(learner->drift().alarms == 0);
    rise->number = 1;
    for (const auto& learner : four.learners) {
      learner->forget_together(*rise);
      CHECK(learner->drift().alarms == 1);
      CHECK(learner->drift().shared == 1);
      CHECK(learner->drift().after == rise->after);
    }
    CHECK_FALSE(four.judge());
    four.take(-1, 4000);
    CHECK_FALSE(four.judge());
    CHECK(held_out(*four.learners[0], -1) < 1.3 * level);
  }
}

TEST_CASE("shared drift: a rise of its own does not make a learner forget that watches together") {
  Learners one("pairwise", 1);
  one.take(1, 4000);
  one.take(-1, 400);
  CHECK(one.learners[0]->drift().alarms == 0);
  const auto rise = one.judge();
  REQUIRE(rise.has_value());
  CHECK(rise->before < rise->after);
}

TEST_CASE("shared drift: labels of any unit are judged alike, and told in the user's") {
  std::optional<SharedRise> usual;
  for (const double unit : {1.0, 0x1p-100}) {
    auto learner = make_learner(options_for("pairwise")).value();
    learner->watch_together();
    Random random(1);
    TurningStream stream(2);
    Plan plan;
    for (int n = 0; n < 4200; ++n) {
      const auto x = stream.next(n < 4000 ? 1 : -1);
      learner->plan(random, plan);
      (void)learner->learn(plan, reveal(plan, x), unit * stream.label, 1);
    }
    const WatchedLosses losses = WatchedLosses::restore(saved(*learner)).value();
    const WatchedLosses* const all[] = {&losses};
    const auto rise = losses_rose(all);
    REQUIRE(rise.has_value());
    if (!usual) usual = rise;
    CHECK(rise->before == doctest::Approx(usual->before * unit * unit).epsilon(1e-6));
    CHECK(rise->after == doctest::Approx(usual->after * unit * unit).epsilon(1e-6));
  }
}

TEST_CASE("shared drift: one decision of all is one alarm of the learner that they merge to") {
  Learners three("pairwise", 3);
  three.take(1, 500);
  const SharedRise rise{.number = 2, .before = 1, .after = 5, .since = 0.1};
  for (int p = 0; p < 2; ++p) three.learners[p]->forget_together(rise);
  three.take(1, 100);
  auto& merged = *three.learners[0];
  for (int p = 1; p < 3; ++p) REQUIRE(merged.merge(*three.learners[p]).has_value());
  CHECK(merged.drift().alarms == 2);
  CHECK(merged.drift().shared == 2);
  CHECK(merged.drift().examples == 500 + 500 + 600);
}

TEST_CASE("shared drift: a learner that is restored behind a decision is the one that made it, to the bit") {
  Learners one("pairwise", 1);
  one.take(1, 1000);
  one.learners[0]->forget_together({.number = 1, .before = 1, .after = 2, .since = 0.05});
  auto other = make_learner(options_for("pairwise")).value();
  const State state = saved(*one.learners[0]);
  REQUIRE(other->restore(state).has_value());
  other->watch_together();
  CHECK(other->drift().shared == 1);
  Random random = one.randoms[0];
  TurningStream stream = one.streams[0];
  learn(*other, random, stream, -1, 3000);
  one.take(-1, 3000);
  CHECK(other->drift().examples == 1000);
  const State mine = saved(*one.learners[0]);
  const State theirs = saved(*other);
  for (const char* const name : {"past.0.detector.buckets", "past.0.weights"})
    CHECK(std::ranges::equal(*mine.get<double>(name), *theirs.get<double>(name)));
}

TEST_CASE("shared drift: nothing is forgotten without --drift, and a new learner has nothing to forget") {
  LearnerOptions options = options_for("pairwise");
  auto fresh = make_learner(options).value();
  fresh->forget_together({.number = 3, .before = 1, .after = 2, .since = 1});
  CHECK(fresh->drift().alarms == 3);
  options.drift = Drift::kOff;
  auto off = make_learner(options).value();
  off->forget_together({.number = 3, .before = 1, .after = 2, .since = 1});
  CHECK(off->drift().alarms == 0);
}

}  // namespace shared_drift_test
