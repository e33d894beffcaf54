#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/turning_stream_test_support.h"

namespace gradient_forgetting_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions options_for(const std::string& algorithm) {
  LearnerOptions options = turning_options(algorithm);
  if (has_l1_ball(algorithm)) options.radius = 15;
  return options;
}

constexpr const char* kChecked[] = {"aerr", "two-phase-ddaerr", "two-phase-ddaelr", "online-ridge"};

}  // namespace

TEST_CASE("first-order learners notice a stream that turns round, and begin again") {
  for (const char* algorithm : kChecked) {
    CAPTURE(algorithm);
    LearnerOptions options = options_for(algorithm);
    options.drift = Drift::kAuto;
    auto learner = make_learner(options).value();
    Random random(1);
    TurningStream stream(2);
    learn(*learner, random, stream, 1, 16000);
    CHECK(learner->drift().alarms == 0);
    const double level = held_out(*learner, 1);
    learn(*learner, random, stream, -1, 1000);
    CHECK(learner->drift().alarms == 1);
    CHECK(learner->drift().after > learner->drift().before);
    if (has_two_phases(algorithm)) CHECK(learner->describe().phase == 1);
    learn(*learner, random, stream, -1, 16000);
    CHECK(learner->drift().alarms == 1);
    CHECK(held_out(*learner, -1) < 1.2 * level);
  }
}

TEST_CASE("first-order learners have no alarm on a stationary stream, whatever their phase") {
  for (const char* algorithm : kChecked) {
    CAPTURE(algorithm);
    LearnerOptions options = options_for(algorithm);
    options.drift = Drift::kAuto;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      auto learner = make_learner(options).value();
      Random random(seed);
      TurningStream stream(seed + 10);
      learn(*learner, random, stream, 1, 20000);
      CHECK(learner->drift().alarms == 0);
    }
  }
}

TEST_CASE("known moments stay when what was learned is forgotten") {
  LearnerOptions options = options_for("ddaerr");
  options.drift = Drift::kAuto;
  const SecondMoments known = known_moments(std::vector<double>(kDimension, 1.0));
  auto learner = make_learner(options, &known).value();
  Random random(1);
  TurningStream stream(2);
  learn(*learner, random, stream, 1, 8000);
  learn(*learner, random, stream, -1, 1000);
  CHECK(learner->drift().alarms == 1);
  CHECK(learner->sampling_row(0).moment.second == doctest::Approx(1));
  CHECK(learner->describe().phase == 2);
}

TEST_CASE("with a half-life first-order learners follow a stream that turns round") {
  for (const char* algorithm : {"two-phase-ddaerr", "two-phase-ddaelr", "online-ridge"}) {
    CAPTURE(algorithm);
    LearnerOptions options = options_for(algorithm);
    auto plain = make_learner(options).value();
    options.half_life = 500;
    auto forgetful = make_learner(options).value();
    Random random(1);
    TurningStream stream(2);
    for (Learner* each : {plain.get(), forgetful.get()}) {
      learn(*each, random, stream, 1, 10000);
      learn(*each, random, stream, -1, 4000);
    }
    CHECK(held_out(*forgetful, -1) < 0.7 * held_out(*plain, -1));
  }
}

TEST_CASE("learners that forget go on after a restore as if nothing had happened") {
  for (const char* algorithm : kChecked) {
    CAPTURE(algorithm);
    LearnerOptions options = options_for(algorithm);
    options.drift = Drift::kAuto;
    options.half_life = 700;
    auto learner = make_learner(options).value();
    Random random(1);
    TurningStream stream(2);
    learn(*learner, random, stream, 1, 3000);
    auto restored = make_learner(options).value();
    REQUIRE(restored->restore(saved(*learner)).has_value());
    Random same = Random::from_state(random.state());
    TurningStream also = stream;
    learn(*learner, random, stream, -1, 3000);
    learn(*restored, same, also, -1, 3000);
    CHECK(learner->drift().alarms >= 1);
    CHECK(restored->drift().examples == learner->drift().examples);
    Model a;
    Model b;
    learner->model(a);
    restored->model(b);
    CHECK(a.weights == b.weights);
    CHECK(a.bias == b.bias);
  }
}

TEST_CASE("a half-life's halving is known to a restored learner at once") {
  for (const char* algorithm : {"aerr", "two-phase-ddaerr", "two-phase-ddaelr"}) {
    CAPTURE(algorithm);
    LearnerOptions options = options_for(algorithm);
    options.half_life = 300;
    auto learner = make_learner(options).value();
    Random random(1);
    TurningStream stream(2);
    learn(*learner, random, stream, 1,
          601);  // just behind a halving: what was not revealed since is the point
    auto restored = make_learner(options).value();
    REQUIRE(restored->restore(saved(*learner)).has_value());
    Random same = Random::from_state(random.state());
    TurningStream also = stream;
    learn(*learner, random, stream, 1, 200);
    learn(*restored, same, also, 1, 200);
    Model a;
    Model b;
    learner->model(a);
    restored->model(b);
    CHECK(a.weights == b.weights);
    CHECK(a.bias == b.bias);
  }
}

}  // namespace gradient_forgetting_test
