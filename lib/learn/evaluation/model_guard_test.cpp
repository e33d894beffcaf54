#include "learn/evaluation/model_guard.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <memory>

#include "learn/factory.h"
#include "learn/pairwise/pairwise.h"
#include "learn/pairwise/screened_pairwise.h"
#include "learn/turning_stream_test_support.h"

namespace model_guard_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

std::shared_ptr<const PastModel> model_of(std::uint64_t examples, double weight) {
  return std::make_shared<PastModel>(past_model({{weight, 0}, 1 - 2 * weight}, {2, 0}, examples));
}

// `count` examples of which the mean predictor's squared error is 1.
void add(ModelGuard& guard, int count, double newest_error, double earlier_error = 0) {
  for (int t = 0; t < count; ++t) guard.add({newest_error, 1}, {earlier_error, 1});
}

// What answers after 32 examples, every other of which has these differences from the mean's squared error.
Served served_after(double one, double other) {
  ModelGuard guard;
  for (int t = 0; t < 16; ++t) {
    guard.add({1 + one, 1}, {0, 1});
    guard.add({1 + other, 1}, {0, 1});
  }
  return guard.served();
}

LearnerOptions options_for(const char* algorithm) {
  LearnerOptions options = options_of(algorithm, kDimension, 5);
  options.bias = true;
  return options;
}

}  // namespace

TEST_CASE("a model is withheld once 32 examples say that it is worse than the mean, and not before") {
  ModelGuard guard;
  add(guard, 31, 1.5);
  CHECK(guard.served() == Served::kNewest);
  CHECK(guard.add({1.5, 1}, {0, 1}));
  CHECK(guard.served() == Served::kMean);
  const Model mean = guard.choice().model(2, 7);
  CHECK(mean.bias == 7);
  CHECK(mean.weights == std::vector<double>{0, 0});
}

TEST_CASE("of examples that have their draws in common more must say so") {
  const auto served = [](double effect) {
    ModelGuard guard;
    guard.set_effect(effect);
    for (int t = 0; t < 16; ++t) {
      guard.add({1 + 2.5, 1}, {0, 1});
      guard.add({1 - 1.0, 1}, {0, 1});
    }
    return guard.served();
  };
  CHECK(served(1) == Served::kMean);
  CHECK(served(2) == Served::kNewest);
}

TEST_CASE("differences that two standard errors explain withhold nothing") {
  // The deviation of the sum of 16 pairs is sqrt(16·(a - b)²/2·32/31), with their differences a and b:
  CHECK(served_after(2.5, -1) == Served::kMean);  // 24 > 2·10.1
  CHECK(served_after(2, -1) == Served::kNewest);  // 16 < 2·8.6
}

TEST_CASE("errors that differ by rounding alone are equal, in reports and verdicts, also after a restart") {
  ModelGuard guard;
  const double mean = 1e18;  // of labels around 1e9 without a bias
  for (int t = 0; t < 100; ++t) guard.add({mean + 128, mean}, {0, mean});
  CHECK(guard.served() == Served::kNewest);  // nor is it withheld
  State state;
  guard.save(state);
  ModelGuard restored;
  REQUIRE(restored.restore(state, 2, 2).has_value());
  for (ModelGuard* of : {&guard, &restored}) {
    CHECK(of->report().excess == 0);
    of->begin(nullptr);
    add(*of, 32, 1 + 1e-12);
    CHECK(of->served() == Served::kMean);
    CHECK(of->report().excess > 0);
  }
  State small;
  guard.save(small);
  CHECK(small.find("guard.sizes") == nullptr);
}

TEST_CASE(
    "a report is about the examples of now, and while the newest is withheld about those of the verdict") {
  ModelGuard guard;
  for (int t = 0; t < 15; ++t) {
    guard.add({4, 1}, {0, 1});
    guard.add({0, 1}, {0, 1});
  }
  guard.add({0, 1}, {0, 1});
  CHECK(guard.report().judged == 31);
  CHECK(guard.report().excess == doctest::Approx(29.0 / 31));  // 15·3 - 16
  // Squares: 15·9 + 16.
  CHECK(guard.report().standard_error == doctest::Approx(std::sqrt((151 - 29.0 * 29 / 31) * 31 / 30) / 31));
  guard.add({4, 1}, {0, 1});
  REQUIRE(guard.served() == Served::kMean);  // 32 > 2·sqrt((160 - 32)·32/31) = 23.0
  add(guard, 20, 1.2);
  CHECK(guard.report().judged == 32);
  CHECK(guard.report().excess == doctest::Approx(1));
}

TEST_CASE("the newest answers again once 32 examples in all say that it is better") {
  ModelGuard guard;
  add(guard, 32, 2);
  REQUIRE(guard.served() == Served::kMean);
  // 32 differences of 1 and n of -1 have the sum 32 - n and the deviation sqrt(((32 + n) - (32 - n)²/(32 +
  // n))· (32 + n)/(31 + n)): for n = 40, -8 and 8.49, for n = 41, -9 and 8.51.
  add(guard, 40, 0);
  CHECK(guard.served() == Served::kMean);
  CHECK(guard.add({0, 1}, {0, 1}));
  CHECK(guard.served() == Served::kNewest);
}

TEST_CASE("the last model that was better answers until it is worse as well") {
  ModelGuard guard;
  guard.begin(nullptr);
  add(guard, 32, 0.5);
  guard.begin(model_of(10, 3));
  add(guard, 32, 2);
  REQUIRE(guard.served() == Served::kEarlier);
  CHECK(guard.report().model_examples == 10);
  const Model earlier = guard.choice().model(2, 7);
  CHECK(earlier.weights == std::vector<double>{3, 0});
  CHECK(earlier.bias == 1 - 3 * 2);

  ModelGuard restored;
  State state;
  guard.save(state);
  REQUIRE(restored.restore(state, 2, 2).has_value());
  for (ModelGuard* each : {&guard, &restored}) {
    add(*each, 31, 2, 3);
    CHECK(each->served() == Served::kEarlier);
    CHECK(each->add({2, 1}, {3, 1}));
    CHECK(each->served() == Served::kMean);
  }
}

TEST_CASE("a model that is acquitted answers, and is judged from there") {
  ModelGuard guard;
  CHECK_FALSE(guard.acquit());
  add(guard, 40, 2);
  REQUIRE(guard.served() == Served::kMean);
  CHECK(guard.acquit());
  CHECK(guard.served() == Served::kNewest);
  CHECK(guard.report().judged == 0);
  add(guard, 31, 2);
  CHECK(guard.served() == Served::kNewest);
  add(guard, 1, 2);
  CHECK(guard.served() == Served::kMean);
}

TEST_CASE("the next model to be judged answers until examples say that it is worse") {
  ModelGuard guard;
  add(guard, 32, 2);
  REQUIRE(guard.served() == Served::kMean);
  guard.begin(model_of(10, 50));
  CHECK(guard.served() == Served::kNewest);
  CHECK(guard.report().judged == 0);
  add(guard, 31, 2);
  CHECK(guard.served() == Served::kNewest);
  add(guard, 1, 2);
  CHECK(guard.served() == Served::kMean);  // and not the one that left while it was withheld
}

TEST_CASE("a model that few examples judged, or that was no better than the mean, does not answer later") {
  ModelGuard few;
  add(few, 31, 0.5);
  few.begin(model_of(10, 3));
  add(few, 32, 2);
  CHECK(few.served() == Served::kMean);
  ModelGuard no_better;
  add(no_better, 32, 1);
  no_better.begin(model_of(10, 3));
  add(no_better, 32, 2);
  CHECK(no_better.served() == Served::kMean);
}

TEST_CASE("evidence begins again after the longest, a verdict stays, and what is no number is not counted") {
  ModelGuard guard(40);
  add(guard, 40, 2);
  CHECK(guard.served() == Served::kMean);
  add(guard, 31, 0.5);
  CHECK(guard.served() == Served::kMean);
  add(guard, 1, 0.5);
  CHECK(guard.served() == Served::kNewest);
  add(guard, 8, 0.5);
  CHECK(guard.report().judged == 0);
  add(guard, 39, 0.5);
  CHECK(guard.report().judged == 39);
  guard.add({std::nan(""), 1}, {0, 1});
  guard.add({std::numeric_limits<double>::infinity(), 1}, {0, 1});
  guard.add({1e200, 1}, {0, 1});
  CHECK(guard.report().judged == 39);
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
    CHECK(learner->describe().guard.served == Served::kNewest);
    CHECK(held_out(*learner, 1) < 3);
    learn(*learner, random, stream, -1, 900);
    CHECK(learner->describe().guard.served == Served::kMean);
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

    // 2,000 examples; the next judge comes at 2,048.
    auto restored = make_learner(options_for(algorithm)).value();
    REQUIRE(restored->restore(saved(*learner)).has_value());
    CHECK(restored->describe().guard.served == Served::kMean);
    learn(*learner, random, stream, -1, 10000);
    CHECK(learner->describe().guard.served == Served::kNewest);
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
      CHECK(learner->describe().guard.served == alone->describe().guard.served);
      CHECK(learner->describe().guard.excess == alone->describe().guard.excess);
    }
  };
  learn_some(1, 1000);
  CHECK(learner->describe().guard.served == Served::kNewest);
  learn_some(-1, 900);
  CHECK(learner->describe().guard.served == Served::kMean);
  Model model;
  learner->model(model);
  CHECK(model.weights == std::vector<double>(kDimension, 0));
  learn_some(-1, 6000);
  CHECK(learner->describe().guard.served == Served::kNewest);
  learner->model(model);
  CHECK(model.weights[0] < -0.5);
}

}  // namespace model_guard_test
