#include <algorithm>
#include <doctest/doctest.h>

#include "learn/pairwise/screened_pairwise.h"
#include "learn/turning_stream_test_support.h"

namespace screened_forgetting_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions options_for(std::size_t active) {
  LearnerOptions options = options_of("pairwise-screened", kDimension, 5);
  options.bias = true;
  options.active = active;
  return options;
}

// Two of 300 attributes matter: `first` and the next.
struct Moving {
  void learn(Learner& learner, Random& random, Attribute first, int examples) {
    Plan plan;
    std::vector<double> x(300);
    for (int t = 0; t < examples; ++t) {
      for (double& value : x) value = 2 * source.uniform() - 1;
      const double label = x[first] + x[first + 1] + 0.2 * (source.uniform() - 0.5);
      learner.plan(random, plan);
      REQUIRE(learner.learn(plan, reveal(plan, x), label, 1) == Outcome::kLearned);
    }
  }
  Random source{7};
};

LearnerOptions moving_options() {
  LearnerOptions options = options_of("pairwise-screened", 300, 10);
  options.bias = true;
  options.active = 20;
  return options;
}

bool is_active(const ScreenedPairwise& learner, Attribute i) {
  return std::binary_search(learner.active().begin(), learner.active().end(), i);
}

double explained(const ScreenedPairwise& learner, Attribute first) {
  Model model;
  learner.model(model);
  double lost = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const double truth = i == first || i == first + 1 ? 1 : 0;
    lost += (model.weights[i] - truth) * (model.weights[i] - truth) / 2;
  }
  return 1 - lost;
}

}  // namespace

TEST_CASE("a screened learner notices a stream that turns round, and learns as fast as a fresh one") {
  for (const std::size_t active : {std::size_t{12}, std::size_t{20}}) {
    CAPTURE(active);
    LearnerOptions options = options_for(active);
    options.drift = Drift::kAuto;
    ScreenedPairwise learner(options);
    Random random(1);
    TurningStream stream(2);
    learn(learner, random, stream, 1, 20000);
    CHECK(learner.drift().alarms == 0);
    const double level = held_out(learner, 1);

    ScreenedPairwise fresh(options);
    int needed = 0;
    for (TurningStream other(3); needed == 0 || held_out(fresh, 1) > 1.2 * level; needed += 50)
      learn(fresh, random, other, 1, 50);
    int taken = 0;
    for (; taken == 0 || held_out(learner, -1) > 1.2 * level; taken += 50) {
      REQUIRE(taken < 10 * needed);
      learn(learner, random, stream, -1, 50);
    }
    CHECK(learner.drift().alarms == 1);
    CHECK(learner.drift().examples >= 20000);
    CHECK(learner.drift().examples <= 20000 + 500);
    MESSAGE("fresh ", needed, ", after the change ", taken);
    CHECK(taken <= 1.5 * needed);
  }
}

TEST_CASE("a screened learner has no alarm on a stationary stream") {
  LearnerOptions options = options_for(12);
  options.drift = Drift::kAuto;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ScreenedPairwise learner(options);
    Random random(seed);
    TurningStream stream(seed + 10);
    learn(learner, random, stream, 1, 30000);
    CHECK(learner.drift().alarms == 0);
  }
}

TEST_CASE("when other attributes begin to matter a screened learner that forgets finds those") {
  LearnerOptions watching = moving_options();
  watching.drift = Drift::kAuto;
  LearnerOptions fading = moving_options();
  fading.half_life = 1500;
  ScreenedPairwise plain(moving_options());
  ScreenedPairwise noticed(watching);
  ScreenedPairwise faded(fading);
  for (ScreenedPairwise* learner : {&plain, &noticed, &faded}) {
    Random random(1);
    Moving stream;
    stream.learn(*learner, random, 10, 12000);
    CHECK(is_active(*learner, 10));
    CHECK(is_active(*learner, 11));
    CHECK(explained(*learner, 10) > 0.9);
    stream.learn(*learner, random, 200, 12000);
  }
  CHECK(noticed.drift().alarms == 1);
  for (const ScreenedPairwise* learner : {&noticed, &faded}) {
    CHECK(is_active(*learner, 200));
    CHECK(is_active(*learner, 201));
    CHECK_FALSE(is_active(*learner, 10));
    CHECK_FALSE(is_active(*learner, 11));
    CHECK(explained(*learner, 200) > 0.9);
  }
  CHECK(explained(plain, 200) < 0.8);
}

TEST_CASE("with a half-life a screened learner decides again who is active at least once in one") {
  LearnerOptions options = moving_options();
  options.half_life = 1000;
  ScreenedPairwise learner(options);
  Random random(1);
  Moving stream;
  stream.learn(learner, random, 10, 16384);
  REQUIRE(is_active(learner, 10));
  stream.learn(learner, random, 200, 8000);  // no power of two nor half-way between them
  CHECK(is_active(learner, 200));
  CHECK_FALSE(is_active(learner, 10));
}

TEST_CASE("a screened learner that forgets goes on after a restore as if nothing had happened") {
  for (const bool in_capture : {false, true}) {
    LearnerOptions options = options_for(12);
    options.drift = Drift::kAuto;
    options.half_life = 2000;
    ScreenedPairwise learner(options);
    Random random(1);
    TurningStream stream(2);
    learn(learner, random, stream, 1, 3000);
    if (in_capture) learner.begin_capture();  // solutions come from elsewhere: what is noticed stays the same
    ScreenedPairwise restored(options);
    REQUIRE(restored.restore(saved(learner)).has_value());
    Random same = Random::from_state(random.state());
    TurningStream also = stream;
    learn(learner, random, stream, -1, 2000);
    learn(restored, same, also, -1, 2000);
    CHECK(learner.drift().alarms >= 1);
    CHECK(restored.drift().alarms == learner.drift().alarms);
    const State left = saved(learner);
    const State right = saved(restored);
    REQUIRE(left.tensors().size() == right.tensors().size());
    for (std::size_t t = 0; t < left.tensors().size(); ++t) {
      CAPTURE(left.tensors()[t].name);
      CHECK(left.tensors()[t].bytes == right.tensors()[t].bytes);
    }
  }
}

}  // namespace screened_forgetting_test
