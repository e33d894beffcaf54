#include "learn/evaluation/past_models.h"

#include <cmath>
#include <doctest/doctest.h>

#include "learn/pairwise/pairwise.h"
#include "learn/turning_stream_test_support.h"

namespace past_models_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions options_for(std::size_t budget) {
  LearnerOptions options = options_of("pairwise", kDimension, budget);
  options.bias = true;
  return options;
}

}  // namespace

TEST_CASE("the progressive loss is the squared error of the last power of two's model, within the budget") {
  for (const std::size_t budget : {2, 5, 19, 20}) {
    Pairwise learner(options_for(budget));
    Random random(1);
    TurningStream stream(2);
    learn(learner, random, stream, 1, 4096);
    Model model;
    learner.model(model);  // what judges the examples from here on, until the next power of two
    const auto before = learner.progressive_loss().total();
    double truth = 0;
    Plan plan;
    for (int t = 0; t < 4000; ++t) {
      const auto x = stream.next(1);
      double prediction = model.bias;
      for (std::size_t i = 0; i < kDimension; ++i) prediction += model.weights[i] * x[i];
      truth += (prediction - stream.label) * (prediction - stream.label) / 4000;
      learner.plan(random, plan);
      learner.learn(plan, reveal(plan, x), stream.label, 1);
    }
    const auto loss = learner.progressive_loss().total().since(before);
    CHECK(loss.count == 4000);
    CHECK(std::abs(loss.mean - truth) <= 4 * loss.standard_error() + 1e-9);
    if (budget > 5) CHECK(loss.standard_error() < 0.2 * truth);
  }
}

TEST_CASE("before the first model the progressive loss is that of the mean") {
  Pairwise learner(options_for(5));
  Random random(1);
  Plan plan;
  const std::vector<double> x(kDimension, 1.0);
  for (const double label : {3.0, 5.0, 10.0}) {
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, x), label, 1);
  }
  CHECK(learner.progressive_loss().total().count == 3);
  CHECK(learner.progressive_loss().total().mean == doctest::Approx((9 + 4 + 36) / 3.0));
}

TEST_CASE(
    "a stream that turns round is noticed, forgotten and learned again, as fast as by a fresh learner") {
  LearnerOptions options = options_for(5);
  options.drift = Drift::kAuto;
  Pairwise learner(options);
  Random random(1);
  TurningStream stream(2);
  learn(learner, random, stream, 1, 20000);
  CHECK(learner.drift().alarms == 0);
  const double level = held_out(learner, 1);

  Pairwise fresh(options);
  int needed = 0;
  for (TurningStream other(3); needed == 0 || held_out(fresh, 1) > 1.2 * level; needed += 50)
    learn(fresh, random, other, 1, 50);
  int taken = 0;
  for (; taken == 0 || held_out(learner, -1) > 1.2 * level; taken += 50) {
    REQUIRE(taken < 10 * needed);
    learn(learner, random, stream, -1, 50);
  }
  CHECK(learner.drift().alarms == 1);
  CHECK(learner.drift().after > 2 * learner.drift().before);
  CHECK(learner.drift().examples >= 20000);
  CHECK(learner.drift().examples <= 20000 + 500);
  MESSAGE("fresh ", needed, ", after the change ", taken);
  CHECK(taken <= 1.5 * needed);
}

TEST_CASE("a plan whose draws tell nothing is learned from, and neither judged nor watched") {
  LearnerOptions options = options_for(5);
  options.drift = Drift::kAuto;
  Pairwise learner(options);
  Random random(1);
  TurningStream stream(2);
  learn(learner, random, stream, 1, 1030);
  const auto judged = learner.progressive_loss().total().count;
  const State before = saved(learner);
  Plan plan;
  plan.attributes = {3};
  for (int t = 0; t < 20; ++t) CHECK(learner.learn(plan, std::vector<double>{1}, 2, 1) == Outcome::kLearned);
  CHECK(learner.progressive_loss().total().count == judged);
  const State after = saved(learner);
  for (const Tensor& tensor : before.tensors())
    if (tensor.name.starts_with("past.")) CHECK(tensor.bytes == after.find(tensor.name)->bytes);
}

TEST_CASE("a stationary stream gives no alarm") {
  LearnerOptions options = options_for(3);
  options.drift = Drift::kAuto;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Pairwise learner(options);
    Random random(seed);
    TurningStream stream(seed + 10);
    learn(learner, random, stream, 1, 30000);
    CHECK(learner.drift().alarms == 0);
  }
}

TEST_CASE("with a half-life old examples fade, without a change noticed") {
  LearnerOptions options = options_for(5);
  options.half_life = 500;
  Pairwise learner(options);
  Pairwise plain(options_for(5));
  Random random(1);
  TurningStream stream(2);
  for (Pairwise* each : {&learner, &plain}) {
    learn(*each, random, stream, 1, 5000);
    learn(*each, random, stream, -1, 5000);
  }
  CHECK(held_out(learner, -1) < 0.5 * held_out(plain, -1));
}

TEST_CASE("a learner that watches for changes goes on after a restore as if nothing had happened") {
  LearnerOptions options = options_for(4);
  options.drift = Drift::kAuto;
  options.half_life = 2000;
  Pairwise learner(options);
  Random random(1);
  TurningStream stream(2);
  learn(learner, random, stream, 1, 3000);
  Pairwise restored(options);
  REQUIRE(restored.restore(saved(learner)).has_value());
  Random same = Random::from_state(random.state());
  TurningStream also = stream;
  learn(learner, random, stream, -1, 2000);
  learn(restored, same, also, -1, 2000);
  CHECK(learner.drift().alarms >= 1);
  CHECK(restored.drift().alarms == learner.drift().alarms);
  CHECK(restored.drift().examples == learner.drift().examples);
  Model a;
  Model b;
  learner.model(a);
  restored.model(b);
  CHECK(a.weights == b.weights);
  CHECK(learner.progressive_loss().total().mean == restored.progressive_loss().total().mean);
}

}  // namespace past_models_test
