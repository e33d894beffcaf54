#include <cmath>
#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace draws_trajectory_test {

using namespace glimpse;
using namespace glimpse::test;

// d = 3, K = 2, η = 1/2; 1/(K r_i) and w_i/(K r_i) are the two coefficients of a draw.
TEST_CASE("pairs of draws follow a trajectory computed by hand") {
  LearnerOptions options = options_of("aerr", 3, 2);
  options.draws = Draws::kPairs;
  options.step_number = 0.5;
  auto learner = make_learner(options).value();

  // t = 1: w = 0: both draws of x̃ meet φ̃ = −y = −1, exactly. r = q = 1/3: coefficients 3/2.
  Plan plan;
  plan.attributes = {0, 1};
  plan.data_point = {{0, 1.5}, {1, 1.5}};
  learner->learn(plan, std::vector<double>{1, 2}, 1, 1);
  CHECK(iterate(*learner)[0] == doctest::Approx(0.75).epsilon(1e-15));
  CHECK(iterate(*learner)[1] == doctest::Approx(1.5).epsilon(1e-15));

  // t = 2: r_0 = 1/2, r_1 = 1/4; x = (2, 1), y = 1. Terms w_a x_a/r_a: 3 and 6. Attribute 0 meets 6 − 1 = 5,
  // attribute 1 meets 3 − 1 = 2: g̃ = (5·2/(1/2), 2·1/(1/4))/(2·1) = (10, 4).
  plan.attributes = {0, 1};
  plan.data_point = {{0, 1}, {1, 2}};
  plan.inner_product = {{0, 0.75}, {1, 3}};
  learner->learn(plan, std::vector<double>{2, 1}, 1, 1);
  CHECK(iterate(*learner)[0] == doctest::Approx(-4.25).epsilon(1e-14));
  CHECK(iterate(*learner)[1] == doctest::Approx(-0.5).epsilon(1e-14));
  // The squared error: known as 1 at t = 1, then (3 − 1)(6 − 1) from the one pair.
  CHECK(learner->progressive_loss().total().mean == doctest::Approx((1 + 10) / 2.0).epsilon(1e-14));

  // t = 3: both draws fall on attribute 0, r = 1/2: x = 1, y = 1/2. Terms −8.5 each, residuals −9; each draw
  // adds −9·2/2.
  plan.attributes = {0};
  plan.data_point = {{0, 1}, {0, 1}};
  plan.inner_product = {{0, -4.25}, {0, -4.25}};
  learner->learn(plan, std::vector<double>{1}, 0.5, 1);
  CHECK(iterate(*learner)[0] == doctest::Approx(4.75).epsilon(1e-14));
  CHECK(learner->counts().attributes_revealed == 5);
}

// d = 2, K = 2, η = 1/2, with the bias.
TEST_CASE("control variates follow a trajectory computed by hand, and the average is that of the functions") {
  LearnerOptions options = options_of("aerr", 2, 2);
  options.control_variates = true;
  options.bias = true;
  options.step_number = 0.5;
  auto learner = make_learner(options).value();

  // t = 1: nothing is known, μ_0 = 0. x_0 = 4, y = 1, q = 1/2: φ̃ = −1, g̃_0 = −8, and −1 for the bias. Then
  // μ_0 = 4.
  Plan plan;
  plan.attributes = {0};
  plan.centres = {0};
  plan.data_point = {{0, 2}};
  learner->learn(plan, std::vector<double>{4}, 1, 1);
  CHECK(iterate(*learner) == std::vector<double>{4, 0, 0.5});

  // t = 2: x_0 = 5 deviates by 1. y = 0, p_0 = 1: φ̃ = 4·1 + 1/2, g̃_0 = 9/2·2·1. Then μ_0 = 9/2.
  plan.centres = {4};
  plan.inner_product = {{0, 4}};
  plan.offset = 0.5;
  learner->learn(plan, std::vector<double>{5}, 0, 1);
  CHECK(iterate(*learner)[0] == doctest::Approx(-0.5).epsilon(1e-14));
  CHECK(iterate(*learner)[2] == doctest::Approx(-1.75).epsilon(1e-14));

  // The iterates were 0 and 1/2 + 4(x − 4).
  Model model;
  learner->model(model);
  CHECK(model.weights[0] == doctest::Approx(2).epsilon(1e-14));
  CHECK(model.bias == doctest::Approx((0.5 - 16) / 2).epsilon(1e-14));

  // The next plan takes off what is the mean by now.
  Random random(1);
  learner->plan(random, plan);
  REQUIRE(plan.centres.size() == plan.attributes.size());
  for (std::size_t a = 0; a < plan.attributes.size(); ++a)
    CHECK(plan.centres[a] == (plan.attributes[a] == 0 ? 4.5 : 0));
}

// d = 2, K = 2, η = 1/2, B = 4, without a bias. w_i = 4·sinh θ_i/(cosh θ_0 + cosh θ_1).
TEST_CASE("lasso's pairs of draws follow a trajectory computed by hand") {
  LearnerOptions options = options_of("aelr", 2, 2);
  options.draws = Draws::kPairs;
  options.radius = 4;
  options.step_number = 0.5;
  auto learner = make_learner(options).value();

  // t = 1: w = 0, r = q = 1/2: coefficients 1. φ̃ = −y = −1 for both: g̃ = (−1, −1/2), θ = (1/2, 1/4).
  Plan plan;
  plan.attributes = {0, 1};
  plan.data_point = {{0, 1}, {1, 1}};
  learner->learn(plan, std::vector<double>{1, 0.5}, 1, 1);
  const double sum = std::cosh(0.5) + std::cosh(0.25);
  CHECK(iterate(*learner)[0] == doctest::Approx(4 * std::sinh(0.5) / sum).epsilon(1e-14));
  CHECK(iterate(*learner)[1] == doctest::Approx(4 * std::sinh(0.25) / sum).epsilon(1e-14));

  // t = 2: coefficients w_a/(K r_a) of 1/2 and 1/4, x = (1, 2), y = 1/2: terms w_a x_a/r_a of 1 and 1. Each
  // attribute meets the other's 1 − 1/2: g̃ = (1/2·1·1, 1/2·1·2); θ = (1/4, −1/4).
  plan.inner_product = {{0, 0.5}, {1, 0.25}};
  learner->learn(plan, std::vector<double>{1, 2}, 0.5, 1);
  const double w = 4 * std::sinh(0.25) / (2 * std::cosh(0.25));
  CHECK(iterate(*learner)[0] == doctest::Approx(w).epsilon(1e-14));
  CHECK(iterate(*learner)[1] == doctest::Approx(-w).epsilon(1e-14));

  // t = 3: x = (100, 0), y = 0, both draws on attribute 0: terms of 100 each, g̃_0 = 2·100·100, of which η·g̃
  // is cut at 1: θ_0 = −3/4.
  plan.attributes = {0};
  plan.data_point = {{0, 1}, {0, 1}};
  plan.inner_product = {{0, 0.5}, {0, 0.5}};
  learner->learn(plan, std::vector<double>{100}, 0, 1);
  const double last = std::cosh(0.75) + std::cosh(0.25);
  CHECK(iterate(*learner)[0] == doctest::Approx(-4 * std::sinh(0.75) / last).epsilon(1e-14));
  CHECK(learner->counts().attributes_revealed == 5);
}

// d = 2 and the bias, B = 4, η = 1/2.
TEST_CASE("lasso's control variates follow a trajectory computed by hand") {
  LearnerOptions options = options_of("aelr", 2, 2);
  options.control_variates = true;
  options.bias = true;
  options.radius = 4;
  options.step_number = 0.5;
  auto learner = make_learner(options).value();

  // t = 1: μ_0 = 0, x_0 = 1/4, y = 1, q = 1/2: φ̃ = −1, g̃ = (−1/2, 0, −1): θ = (1/4, 0, 1/2). Then μ_0 = 1/4.
  Plan plan;
  plan.attributes = {0};
  plan.centres = {0};
  plan.data_point = {{0, 2}};
  learner->learn(plan, std::vector<double>{0.25}, 1, 1);
  const double sum = std::cosh(0.25) + 1 + std::cosh(0.5);
  const double w = 4 * std::sinh(0.25) / sum;
  const double b = 4 * std::sinh(0.5) / sum;
  CHECK(iterate(*learner)[0] == doctest::Approx(w).epsilon(1e-14));
  CHECK(iterate(*learner)[2] == doctest::Approx(b).epsilon(1e-14));

  // t = 2: x_0 = 3/4 deviates by 1/2, y = 0: with a coefficient of 1 and an offset of 1/2 φ̃ = 1, g̃ = (1, 0,
  // 1): θ = (−1/4, 0, 0). Then μ_0 = 1/2.
  plan.centres = {0.25};
  plan.inner_product = {{0, 1}};
  plan.offset = 0.5;
  learner->learn(plan, std::vector<double>{0.75}, 0, 1);
  CHECK(iterate(*learner)[0] == doctest::Approx(-4 * std::sinh(0.25) / (2 + std::cosh(0.25))).epsilon(1e-14));
  CHECK(std::abs(iterate(*learner)[2]) < 1e-15);

  // The iterates were 0 and b + w·(x_0 − 1/4).
  Model model;
  learner->model(model);
  CHECK(model.weights[0] == doctest::Approx(w / 2).epsilon(1e-14));
  CHECK(model.bias == doctest::Approx((b - w / 4) / 2).epsilon(1e-14));
}

}  // namespace draws_trajectory_test
