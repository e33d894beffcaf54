#include <doctest/doctest.h>

#include "learn/css10/css10_test_support.h"
#include "learn/factory.h"

namespace aer_trajectory_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {
void check_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) CHECK(std::abs(actual[i] - expected[i]) <= 1e-15);
}

std::vector<double> averaged(const Learner& learner) {
  Model model;
  learner.model(model);
  model.weights.push_back(model.bias);
  return model.weights;
}
}  // namespace

// d = 3, K = 2, so k_x = k_p = 1 and v = 3x_j e_j. S = 1 (λ = 2): w ← (1 − 1/t)w − φ̃v/t, B = 1.
TEST_CASE("aer's weights follow a trajectory computed by hand, through the projection and the average") {
  LearnerOptions options = css10_options("aer", 3, 2, 1);
  options.step_number = 1;
  auto learner = make_learner(options).value();
  Plan plan;

  // t = 1: w = 0, φ̃ = −y = −1/4, v = 3/2 e_1: w = 3/8 e_1, inside the ball.
  plan.attributes = {1};
  plan.data_point = {{0, 3.0}};
  CHECK(learner->learn(plan, std::vector<double>{0.5}, 0.25, 1) == Outcome::kLearned);
  check_near(aer_iterate(*learner), {0, 3.0 / 8, 0, 0});
  check_near(averaged(*learner), {0, 3.0 / 8, 0, 0});
  CHECK(learner->describe().step_size == 1);

  // t = 2: i = 1 with ‖w‖₁ = 3/8, x_1 = 1, y = −1: φ̃ = 11/8. v = −3e_2: w = (0, 3/16, 33/16). The threshold
  // 5/8 would take 3/16 below 0; without it the threshold is 17/16: w = (0, 0, 1).
  plan.attributes = {1, 2};
  plan.data_point = {{1, 3.0}};
  plan.inner_product = {{0, 3.0 / 8}};
  CHECK(learner->learn(plan, std::vector<double>{1, -1}, -1, 1) == Outcome::kLearned);
  check_near(aer_iterate(*learner), {0, 0, 1, 0});
  check_near(averaged(*learner), {0, 3.0 / 16, 1.0 / 2, 0});

  // t = 3: i = 2 with ‖w‖₁ = 1, x_2 = 1/2, y = 0: φ̃ = 1/2. v = 3e_0: w = (−1/2, 0, 2/3), threshold 1/12.
  plan.attributes = {0, 2};
  plan.data_point = {{0, 3.0}};
  plan.inner_product = {{1, 1.0}};
  CHECK(learner->learn(plan, std::vector<double>{1, 0.5}, 0, 1) == Outcome::kLearned);
  check_near(aer_iterate(*learner), {-5.0 / 12, 0, 7.0 / 12, 0});
  check_near(averaged(*learner), {-5.0 / 36, 1.0 / 8, 19.0 / 36, 0});

  // t = 4: i = 0, a negative weight: φ̃ = −1·1/2 − 1/2 = −1. v = e_1: the attribute that had become 0 is back,
  // w = (−5/16, 1/4, 7/16), on the sphere without a threshold.
  plan.attributes = {0, 1};
  plan.data_point = {{1, 3.0}};
  plan.inner_product = {{0, -1.0}};
  CHECK(learner->learn(plan, std::vector<double>{0.5, 1.0 / 3}, 0.5, 1) == Outcome::kLearned);
  check_near(aer_iterate(*learner), {-5.0 / 16, 1.0 / 4, 7.0 / 16, 0});
  check_near(averaged(*learner), {(-5.0 / 12 - 5.0 / 16) / 4, 5.0 / 32, (1 + 7.0 / 12 + 7.0 / 16) / 4, 0});

  // t = 5: one attribute for both draws, and its weight changes sign: φ̃ = −1·1 + 1/3 = −2/3, v = 3e_0:
  // w_0 = −1/4 + 2/5, the others times 4/5.
  plan.attributes = {0};
  plan.data_point = {{0, 3.0}};
  plan.inner_product = {{0, -1.0}};
  CHECK(learner->learn(plan, std::vector<double>{1}, -1.0 / 3, 1) == Outcome::kLearned);
  check_near(aer_iterate(*learner), {3.0 / 20, 1.0 / 5, 7.0 / 20, 0});
  check_near(averaged(*learner), {(-5.0 / 12 - 5.0 / 16 + 3.0 / 20) / 5, (3.0 / 8 + 1.0 / 4 + 1.0 / 5) / 5,
                                  (1 + 7.0 / 12 + 7.0 / 16 + 7.0 / 20) / 5, 0});

  CHECK(learner->counts().examples == 5);
  CHECK(learner->counts().attributes_revealed == 8);
  CHECK(learner->describe().step_size == 1.0 / 5);
}

// S = 1/2, B = 1.
TEST_CASE("aer's bias shares the ball, is exact in the prediction, and never drawn") {
  LearnerOptions options = css10_options("aer", 3, 2, 1);
  options.step_number = 0.5;
  options.bias = true;
  auto learner = make_learner(options).value();
  Plan plan;

  // φ̃ = −2: w_0 = 3/2 and the bias 1; the threshold 3/4 leaves 3/4 and 1/4.
  plan.attributes = {0};
  plan.data_point = {{0, 3.0}};
  CHECK(learner->learn(plan, std::vector<double>{0.5}, 2, 1) == Outcome::kLearned);
  check_near(aer_iterate(*learner), {3.0 / 4, 0, 0, 1.0 / 4});

  Random random(1);
  for (int n = 0; n < 100; ++n) {
    learner->plan(random, plan);
    REQUIRE(plan.offset == 0.25);
    REQUIRE(plan.inner_product.size() == 1);
    REQUIRE(plan.attributes[plan.inner_product[0].position] == 0);
    REQUIRE(plan.inner_product[0].coefficient == 0.75);
  }

  // φ̃ = 1/4 + 3/4 − 0: the bias moves by −1/2 and changes sign, x_0's weight halves.
  plan.clear();
  plan.offset = 0.25;
  plan.attributes = {0, 1};
  plan.data_point = {{1, 3.0}};
  plan.inner_product = {{0, 0.75}};
  CHECK(learner->learn(plan, std::vector<double>{1, 0}, 0, 1) == Outcome::kLearned);
  check_near(aer_iterate(*learner), {3.0 / 8, 0, 0, -1.0 / 8});
  check_near(averaged(*learner), {9.0 / 16, 0, 0, 1.0 / 16});
}

TEST_CASE("importance multiplies aer's gradient; an example without any changes nothing") {
  LearnerOptions options = css10_options("aer", 3, 2, 10);
  auto learner = make_learner(options).value();  // S = 0.1
  Plan plan;
  plan.attributes = {2};
  plan.data_point = {{0, 3.0}};
  learner->learn(plan, std::vector<double>{1}, 1, 2.5);
  CHECK(aer_iterate(*learner)[2] == doctest::Approx(0.1 * 3 * 2.5));
  learner->learn(plan, std::vector<double>{1}, 1, 0);
  CHECK(aer_iterate(*learner)[2] == doctest::Approx(0.1 * 3 * 2.5));
}

}  // namespace aer_trajectory_test
