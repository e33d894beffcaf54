#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "learn/pairwise/screened_pairwise.h"
#include "learn/turning_stream_test_support.h"

namespace screened_loss_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions options_for(std::size_t dimension, std::size_t budget, std::size_t active) {
  LearnerOptions options = options_of("pairwise-screened", dimension, budget);
  options.bias = true;
  options.active = active;
  return options;
}

}  // namespace

TEST_CASE("a screened plan's draws say with what probability each followed on those before") {
  for (const auto& [k, a] : {std::pair<std::size_t, std::size_t>{5, 10}, {12, 10}, {19, 20}}) {
    ScreenedPairwise learner(options_for(kDimension, k, a));
    Random random(1);
    TurningStream stream(2);
    learn(learner, random, stream, 1, 1000);
    REQUIRE(learner.active().size() > 5);
    Plan plan;
    for (int t = 0; t < 100; ++t) {
      learner.plan(random, plan);
      REQUIRE(plan.inner_product.size() == k);
      double rest = 1;
      std::vector<Attribute> drawn;
      for (const Draw& draw : plan.inner_product) {
        const Attribute i = plan.attributes[draw.position];
        const double q = learner.sampling_row(i).probability;
        CHECK(draw.coefficient == doctest::Approx(rest / q).epsilon(1e-9));
        rest -= q;
        drawn.push_back(i);
      }
      std::sort(drawn.begin(), drawn.end());
      CHECK(drawn == plan.attributes);
    }
  }
}

TEST_CASE("the mean of a screened learner's loss over all plans is the squared error of its last model") {
  ScreenedPairwise learner(options_for(4, 2, 3));
  Random random(1);
  Source source(4, 2);
  learn_from(learner, random, source, 128);
  REQUIRE(learner.active().size() > 0);
  Model model;
  learner.model(model);
  learn_from(learner, random, source, 5);
  const State state = saved(learner);
  const std::vector<double> x = source.next();
  double error = model.bias - source.label();
  for (std::size_t i = 0; i < 4; ++i) error += model.weights[i] * x[i];
  const auto before = learner.progressive_loss().total();
  std::vector<double> q;
  for (Attribute i = 0; i < 4; ++i) q.push_back(learner.sampling_row(i).probability);

  double expectation = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    for (std::uint32_t j = 0; j < 4; ++j) {
      if (i == j) continue;
      Plan plan;
      plan.attributes = {std::min(i, j), std::max(i, j)};
      plan.inner_product = {{i > j ? 1U : 0U, 1 / q[i]}, {j > i ? 1U : 0U, (1 - q[i]) / q[j]}};
      REQUIRE(learner.restore(state).has_value());
      learner.learn(plan, reveal(plan, x), source.label(), 1);
      expectation += q[i] * q[j] / (1 - q[i]) * learner.progressive_loss().total().since(before).mean;
    }
  }
  CHECK(expectation == doctest::Approx(error * error).epsilon(1e-9));
}

TEST_CASE("a screened learner's loss is the squared error of the last power of two's model") {
  for (const auto& [budget, active] :
       {std::pair<std::size_t, std::size_t>{2, 12}, {5, 12}, {19, 12}, {5, 20}}) {
    CAPTURE(budget);
    ScreenedPairwise learner(options_for(kDimension, budget, active));
    Random random(1);
    TurningStream stream(2);
    learn(learner, random, stream, 1, 4096);
    Model model;
    learner.model(model);
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
    if (budget == 19) CHECK(loss.standard_error() < 0.2 * truth);
  }
}

TEST_CASE("before its first model a screened learner is judged as the mean") {
  ScreenedPairwise learner(options_for(kDimension, 5, 10));
  Random random(1);
  Plan plan;
  const std::vector<double> x(kDimension, 1.0);
  for (const double label : {3.0, 5.0, 10.0}) {
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, x), label, 1);
  }
  CHECK(learner.progressive_loss().total().mean == doctest::Approx((9 + 4 + 36) / 3.0));
}

}  // namespace screened_loss_test
