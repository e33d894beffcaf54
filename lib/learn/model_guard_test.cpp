#include "learn/model_guard.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <memory>

#include "learn/pairwise.h"
#include "learn/screened_pairwise.h"
#include "learn/turning_stream_test_support.h"

using namespace glimpse;
using namespace glimpse::test;

namespace {

std::shared_ptr<const PastModel> model_of(std::uint64_t examples, double weight) {
  auto model = std::make_shared<PastModel>();
  model->weights = {weight, 0};
  model->centre = {2, 0};
  model->at_centre = 1;
  model->examples = examples;
  return model;
}

// `count` examples of which the mean predictor's squared error is 1.
void add(ModelGuard& guard, int count, double newest_error, double earlier_error,
         const std::shared_ptr<const PastModel>& newest) {
  for (int t = 0; t < count; ++t) guard.add(newest_error, 1, earlier_error, newest);
}

LearnerOptions options_for(const char* algorithm) {
  LearnerOptions options = options_of(algorithm, kDimension, 5);
  options.bias = true;
  return options;
}

}  // namespace

TEST_CASE("a model is withheld once 32 examples say that it is worse than the mean, and not before") {
  ModelGuard guard;
  const auto model = model_of(10, 1);
  add(guard, 31, 1.5, 0, model);
  CHECK(guard.served() == Served::kNewest);
  CHECK(guard.add(1.5, 1, 0, model));
  CHECK(guard.served() == Served::kMean);
  const Model mean = guard.choice().model(2, 7);
  CHECK(mean.bias == 7);
  CHECK(mean.weights == std::vector<double>{0, 0});
}

TEST_CASE("differences that two standard errors explain withhold nothing") {
  ModelGuard guard;
  const auto model = model_of(10, 1);
  // 16 times +3 and 16 times -1: their sum is 32, and its deviation sqrt(32/31·128) = 11.5.
  for (int t = 0; t < 15; ++t) {
    guard.add(4, 1, 0, model);
    guard.add(0, 1, 0, model);
  }
  guard.add(0, 1, 0, model);
  CHECK(guard.report().judged == 31);
  CHECK(guard.report().excess == doctest::Approx(29.0 / 31));
  // Without the last one: squares 15·9 + 16, less 29²/31, by 31/30.
  CHECK(guard.report().standard_error == doctest::Approx(std::sqrt((151 - 29.0 * 29 / 31) * 31 / 30) / 31));
  guard.add(4, 1, 0, model);
  CHECK(guard.served() == Served::kMean);  // 32 > 2·11.5

  ModelGuard other;
  for (int t = 0; t < 16; ++t) {
    other.add(3.5, 1, 0, model);
    other.add(0, 1, 0, model);
  }
  CHECK(other.served() == Served::kMean);  // 24 > 2·10.1
  ModelGuard third;
  for (int t = 0; t < 16; ++t) {
    third.add(3, 1, 0, model);
    third.add(0, 1, 0, model);
  }
  CHECK(third.served() == Served::kNewest);  // 16 < 2·8.6
}

TEST_CASE(
    "the last model that was better answers until it is worse as well, and the newest once it is better") {
  ModelGuard guard;
  const auto good = model_of(10, 3);
  const auto bad = model_of(20, 50);
  add(guard, 32, 0.5, 0, good);  // closes the first window
  add(guard, 32, 2, 0, bad);
  REQUIRE(guard.served() == Served::kEarlier);
  CHECK(guard.report().model_examples == 10);
  const Model earlier = guard.choice().model(2, 7);
  CHECK(earlier.weights == std::vector<double>{3, 0});
  CHECK(earlier.bias == 1 - 3 * 2);
  add(guard, 32, 2, 0.5, bad);  // to the end of the second, of 64
  CHECK(guard.served() == Served::kEarlier);

  ModelGuard restored;
  State state;
  guard.save(state);
  REQUIRE(restored.restore(state, 2).has_value());
  for (ModelGuard* each : {&guard, &restored}) {
    add(*each, 31, 2, 3, bad);
    CHECK(each->served() == Served::kEarlier);
    add(*each, 1, 2, 3, bad);
    CHECK(each->served() == Served::kMean);
    add(*each, 96, 2, 0, bad);  // to the end of the third, of 128
    CHECK(each->served() == Served::kMean);
    add(*each, 31, 0.5, 0, good);
    CHECK(each->served() == Served::kMean);
    add(*each, 1, 0.5, 0, good);
    CHECK(each->served() == Served::kNewest);
  }
}

TEST_CASE("windows end at the longest, and what is no number is not counted") {
  ModelGuard guard(40);
  const auto model = model_of(10, 1);
  add(guard, 32 + 40, 0.5, 0, model);
  CHECK(guard.report().judged == 0);
  add(guard, 39, 0.5, 0, model);
  CHECK(guard.report().judged == 39);
  guard.add(std::nan(""), 1, 0, model);
  guard.add(std::numeric_limits<double>::infinity(), 1, 0, model);
  guard.add(1e200, 1, 0, model);
  CHECK(guard.report().judged == 39);
  guard.clear();
  CHECK(guard.earlier() == nullptr);
}

TEST_CASE(
    "where everything that was learned turned wrong the mean answers, and the newest model when it is "
    "right") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    CAPTURE(algorithm);
    auto learner = make_learner(options_for(algorithm)).value();
    Random random(1);
    TurningStream stream(2);
    learn(*learner, random, stream, 1, 1000);
    CHECK(learner->guard().served == Served::kNewest);
    CHECK(held_out(*learner, 1) < 3);
    learn(*learner, random, stream, -1, 1000);
    CHECK(learner->guard().served == Served::kMean);
    // The labels' variance is 10 + 1/3 and what the common sign adds; the turned model has some four times
    // that.
    CHECK(held_out(*learner, -1) < 1.02 * held_out(*make_learner(options_for(algorithm)).value(), -1));
    const auto before = learner->progressive_loss().total();
    TurningStream same = stream;
    double mean_error = 0;
    for (int t = 0; t < 100; ++t) {
      same.next(-1);
      mean_error += same.label * same.label / 100;
    }
    learn(*learner, random, stream, -1, 100);
    CHECK(learner->progressive_loss().total().since(before).mean == doctest::Approx(mean_error).epsilon(0.1));

    auto restored = make_learner(options_for(algorithm)).value();
    REQUIRE(restored->restore(saved(*learner)).has_value());
    CHECK(restored->guard().served == Served::kMean);
    learn(*learner, random, stream, -1, 10000);
    CHECK(learner->guard().served == Served::kNewest);
    CHECK(held_out(*learner, -1) < 5);
  }
}

TEST_CASE("verdicts do not depend on whether solutions come from elsewhere, and apply to these") {
  auto learner = make_learner(options_for("pairwise")).value();
  auto alone = make_learner(options_for("pairwise")).value();
  Random random(1);
  TurningStream stream(2);
  const auto solve = [&] {
    Solving& solving = *learner->solving();
    solving.begin_capture();
    while (!solving.capture(1 << 20)) {
    }
    solving.adopt(solving.solve({}));
  };
  const auto learn_some = [&](double sign, int examples) {
    for (int t = 0; t < examples; t += 100) {
      Random same = Random::from_state(random.state());
      TurningStream also = stream;
      learn(*learner, random, stream, sign, 100);
      learn(*alone, same, also, sign, 100);
      solve();
      CHECK(learner->guard().served == alone->guard().served);
      CHECK(learner->guard().excess == alone->guard().excess);
    }
  };
  learn_some(1, 1000);
  CHECK(learner->guard().served == Served::kNewest);
  learn_some(-1, 900);
  CHECK(learner->guard().served == Served::kMean);
  Model model;
  learner->model(model);
  CHECK(model.weights == std::vector<double>(kDimension, 0));
  learn_some(-1, 6000);
  CHECK(learner->guard().served == Served::kNewest);
  learner->model(model);
  CHECK(model.weights[0] < -0.5);
}
