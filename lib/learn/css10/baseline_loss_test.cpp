#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "learn/css10/css10_test_support.h"
#include "learn/evaluation/past_models.h"
#include "learn/factory.h"
#include "learn/turning_stream_test_support.h"

namespace baseline_loss_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

std::unique_ptr<Learner> made(std::size_t dimension, std::size_t budget, bool bias) {
  LearnerOptions options = css10_options("baseline", dimension, budget, 12);
  options.bias = bias;
  return make_learner(options).value();
}

}  // namespace

TEST_CASE("the mean of the baseline's loss over all plans is the squared error of its last model") {
  for (const bool bias : {false, true}) {
    auto learner = made(3, 2, bias);
    Random random(1);
    Source source(3, 2);
    learn_from(*learner, random, source, 32);
    Model model;
    learner->model(model);  // comes at 32, and judges up to 64
    learn_from(*learner, random, source, 5);
    const State state = saved(*learner);
    const std::vector<double> x = source.next();
    double error = model.bias - source.label();
    for (std::size_t i = 0; i < 3; ++i) error += model.weights[i] * x[i];
    const auto before = learner->progressive_loss().total();

    double expectation = 0;
    double largest = 0;
    for (std::uint32_t i = 0; i < 3; ++i) {
      for (std::uint32_t j = 0; j < 3; ++j) {
        Plan plan;  // d/(2p) = 3/2 a draw
        plan.attributes =
            i == j ? std::vector<Attribute>{i} : std::vector<Attribute>{std::min(i, j), std::max(i, j)};
        plan.data_point = {{i > j ? 1U : 0U, 1.5}, {j > i ? 1U : 0U, 1.5}};
        REQUIRE(learner->restore(state).has_value());
        learner->learn(plan, reveal(plan, x), source.label(), 1);
        const double estimate = learner->progressive_loss().total().since(before).mean;
        expectation += estimate / 9;
        largest = std::max(largest, std::abs(estimate));
      }
    }
    CHECK(expectation == doctest::Approx(error * error).epsilon(1e-9));
    CHECK(largest > 2 * error * error);
  }
}

TEST_CASE("the baseline's loss is the squared error of the last power of two's model, within the budget") {
  for (const std::size_t budget : {2, 3, 6, 20}) {
    CAPTURE(budget);
    auto learner = made(kDimension, budget, true);
    Random random(1);
    TurningStream stream(2);
    learn(*learner, random, stream, 1, 2048);
    Model model;
    learner->model(model);
    const auto before = learner->progressive_loss().total();
    double truth = 0;
    Plan plan;
    for (int t = 0; t < 2000; ++t) {
      const auto x = stream.next(1);
      double prediction = model.bias;
      for (std::size_t i = 0; i < kDimension; ++i) prediction += model.weights[i] * x[i];
      truth += (prediction - stream.label) * (prediction - stream.label) / 2000;
      learner->plan(random, plan);
      learner->learn(plan, reveal(plan, x), stream.label, 1);
    }
    const auto loss = learner->progressive_loss().total().since(before);
    CHECK(loss.count == 2000);
    CHECK(std::abs(loss.mean - truth) <= 4 * loss.standard_error());
    if (budget == 20) CHECK(loss.standard_error() < 0.5 * truth);
  }
}

TEST_CASE("the baseline judges on after a restore as if nothing had happened") {
  auto straight = made(kDimension, 5, true);
  auto restored = made(kDimension, 5, true);
  Random random(1);
  TurningStream stream(2);
  learn(*straight, random, stream, 1, 200);
  REQUIRE(restored->restore(saved(*straight)).has_value());
  Random same = Random::from_state(random.state());
  TurningStream also = stream;
  learn(*straight, random, stream, 1, 200);
  learn(*restored, same, also, 1, 200);
  CHECK(same_state(saved(*straight), saved(*restored)));
}

TEST_CASE(
    "models that are solved for come at powers of two, and of four where solving takes longer than "
    "learning") {
  CHECK_FALSE(PastModels::due(16, 20, 5, 20));
  CHECK(PastModels::due(32, 20, 5, 20));
  CHECK_FALSE(PastModels::due(33, 20, 5, 20));
  CHECK_FALSE(PastModels::due(128, 1024, 5, 1024));
  CHECK(PastModels::due(256, 1024, 5, 1024));
  CHECK_FALSE(PastModels::due(8192, 1024, 5, 1024));
  CHECK(PastModels::due(32768, 1024, 5, 1024));
}

}  // namespace baseline_loss_test
