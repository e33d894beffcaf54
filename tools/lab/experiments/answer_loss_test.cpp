#include "lab/experiments/answer_loss.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "learn/factory.h"

namespace answer_loss_test {

using namespace glimpse;

TEST_CASE("clipped answers have attributes within reach and stay within the labels seen") {
  const Model model{{1, 2}, 0.5};
  AnswerBounds bounds;
  bounds.attributes = {{{2}, 0}, {{0}, 0}};  // the second was never seen but as 0
  bounds.labels.add(-1);
  bounds.labels.add(4);
  // Exported: 10.5, 2.5. Clipped: the first attribute counts as 3, so 3.5; 2.5 is within both.
  const DenseSet test{2, {10, 0, 0, 1}, {4, 2}};
  const AnswerLoss loss = answer_loss(model, bounds, test);
  CHECK(loss.exported == doctest::Approx((6.5 * 6.5 + 0.25) / 20));
  CHECK(loss.clipped == doctest::Approx((0.25 + 0.25) / 20));
  // Without the attributes' bounds: 10.5 becomes 4.
  bounds.attributes.clear();
  CHECK(answer_loss(model, bounds, test).clipped == doctest::Approx(0.25 / 20));
}

TEST_CASE("a model that is not finite has an infinite loss") {
  const Model model{{std::numeric_limits<double>::quiet_NaN()}, 0};
  const AnswerLoss loss = answer_loss(model, {}, DenseSet{1, {1}, {1}});
  CHECK(std::isinf(loss.exported));
  CHECK(std::isinf(loss.clipped));
}

TEST_CASE("a learner that keeps pairs has bounds for attributes, and others for labels alone") {
  LearnerOptions options;
  options.dimension = 2;
  options.budget = 2;
  for (const char* algorithm : {"pairwise", "aerr"}) {
    CAPTURE(algorithm);
    options.algorithm = algorithm;
    const auto learner = make_learner(options).value();
    Random random(1);
    Plan plan;
    for (const double sign : {-1.0, 1.0}) {
      learner->plan(random, plan);
      std::vector<double> values;
      for (const Attribute i : plan.attributes) values.push_back(sign * (i == 0 ? 3 : 5));
      learner->learn(plan, values, 7 * sign, 1);
    }
    const AnswerBounds bounds = bounds_of(*learner);
    CHECK(bounds.labels.min() == -7);
    CHECK(bounds.labels.max() == 7);
    if (options.algorithm == "pairwise") {
      REQUIRE(bounds.attributes.size() == 2);
      CHECK(bounds.attributes[0].reach.largest == 3);
      CHECK(bounds.attributes[1].reach.largest == 5);
      CHECK(bounds.attributes[1].mean == 0);
    } else {
      CHECK(bounds.attributes.empty());
    }
  }
  const DenseSet set{2, {3, -5, -1, 2, 9, 9}, {7, -7, 100}};
  const AnswerBounds whole = bounds_of(set, std::vector<std::uint32_t>{0, 1});
  REQUIRE(whole.attributes.size() == 2);
  CHECK(whole.attributes[0].reach.largest == 3);
  CHECK(whole.attributes[1].reach.largest == 5);
  CHECK(whole.labels.max() == 7);
}

}  // namespace answer_loss_test
