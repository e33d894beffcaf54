#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace gaelr_trajectory_test {

using namespace glimpse;
using namespace glimpse::test;

// d = 3, B = 2, η = ½, k_x = 1. After each step z+ and z− by hand; w = 2(z+ − z−)/Z over the three.
TEST_CASE("aelr follows a trajectory computed by hand, through the clip and the lazy average") {
  LearnerOptions options = options_of("aelr", 3, 2);
  options.radius = 2;
  options.step_number = 0.5;
  auto learner = make_learner(options).value();
  const auto check_near = [](const std::vector<double>& got, const std::vector<double>& want) {
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-13));
  };

  // t = 1: w = 0, so φ̃ = −y = −0.4; x̃_1 = 3·0.5; g̃ = −0.6; θ_1 = 0.3.
  Plan plan;
  plan.attributes = {1};
  plan.data_point = {{0, 3.0}};
  CHECK(learner->learn(plan, std::vector<double>{0.5}, 0.4, 1) == Outcome::kLearned);
  const double z1 = 2 * std::cosh(0.3) + 4;
  check_near(iterate(*learner), {0, 2 * 2 * std::sinh(0.3) / z1, 0});
  const double w = iterate(*learner)[1];

  // t = 2: inner product on attribute 1 (p = 1), data point on attribute 0: φ̃ = w·0.5 + 3, g̃ = φ̃·3·1 is
  // clipped to 1/η = 2: θ_0 = −1.
  plan.attributes = {0, 1};
  plan.data_point = {{0, 3.0}};
  plan.inner_product = {{1, w}};
  CHECK(learner->learn(plan, std::vector<double>{1, 0.5}, -3, 1) == Outcome::kLearned);
  const double z2 = 2 * std::cosh(1.0) + 2 * std::cosh(0.3) + 2;
  check_near(iterate(*learner), {-4 * std::sinh(1.0) / z2, 4 * std::sinh(0.3) / z2, 0});

  // The average is that of the three iterates 0, w_2, w_3 before each step.
  const std::vector<double> third = iterate(*learner);
  plan.attributes = {2};
  plan.data_point = {{0, 3.0}};
  plan.inner_product = {};
  learner->learn(plan, std::vector<double>{0}, 1, 1);
  Model model;
  learner->model(model);
  check_near(model.weights, {third[0] / 3, (w + third[1]) / 3, 0});
}

// As above with the bias: a fourth coordinate of the ball, which is 1 in every example.
TEST_CASE("the bias of aelr is one more attribute in the normaliser, that is always one") {
  LearnerOptions options = options_of("aelr", 3, 2);
  options.radius = 2;
  options.step_number = 0.5;
  options.bias = true;
  auto learner = make_learner(options).value();
  Random random(1);
  Plan plan;
  learner->plan(random, plan);
  CHECK(plan.offset == 0);
  plan.attributes = {1};
  plan.data_point = {{0, 3.0}};
  plan.inner_product = {};
  learner->learn(plan, std::vector<double>{0.5}, 0.4, 1);  // φ̃ = −0.4: θ_1 = 0.3, and θ of the bias 0.2
  const double z = 2 * std::cosh(0.3) + 2 * std::cosh(0.2) + 4;
  const std::vector<double> w = iterate(*learner);
  REQUIRE(w.size() == 4);
  CHECK(w[1] == doctest::Approx(4 * std::sinh(0.3) / z).epsilon(1e-13));
  CHECK(w[3] == doctest::Approx(4 * std::sinh(0.2) / z).epsilon(1e-13));
  learner->plan(random, plan);
  CHECK(plan.offset == doctest::Approx(w[3]).epsilon(1e-13));
  plan.attributes = {0};
  plan.data_point = {{0, 3.0}};
  plan.inner_product = {};
  learner->learn(plan, std::vector<double>{0}, 1, 1);
  Model model;
  learner->model(model);
  CHECK(model.bias == doctest::Approx(w[3] / 2).epsilon(1e-13));
  CHECK(learner->predict(std::vector<Entry>{}) == model.bias);
}

TEST_CASE("online lasso takes the gradient of the whole example") {
  LearnerOptions options = options_of("online-lasso", 2, 0);
  options.radius = 1;
  auto learner = make_learner(options).value();  // η = 0.1
  Random random(1);
  Plan plan;
  learner->plan(random, plan);
  CHECK(plan.attributes.size() == 2);
  learner->learn(plan, std::vector<double>{1, -2}, 1, 1);  // g = −y·x = (−1, 2)
  const double z = 2 * std::cosh(0.1) + 2 * std::cosh(0.2);
  const std::vector<double> w = iterate(*learner);
  CHECK(w[0] == doctest::Approx(2 * std::sinh(0.1) / z));
  CHECK(w[1] == doctest::Approx(-2 * std::sinh(0.2) / z));
  CHECK(learner->counts().attributes_revealed == 2);
  CHECK(learner->progressive_loss().total().mean == doctest::Approx(1));
}

TEST_CASE("adagrad divides the step of a coordinate by the root of its squared gradients") {
  for (const char* algorithm : {"aerr", "aelr"}) {
    LearnerOptions options = options_of(algorithm, 3, 2);
    REQUIRE(parse_step("adagrad:0.5", options).has_value());
    options.radius = 100;
    auto learner = make_learner(options).value();
    Plan plan;
    plan.attributes = {1};
    plan.data_point = {{0, 3.0}};
    learner->learn(plan, std::vector<double>{1}, 1, 1);  // g̃ = −3: one step of ½
    learner->learn(plan, std::vector<double>{1}, 2, 1);  // g̃ = −6: ½·6/√45
    const double moved = 0.5 + 3 / std::sqrt(45.0);
    const double want =
        options.algorithm == "aerr" ? moved : 100 * 2 * std::sinh(moved) / (2 * std::cosh(moved) + 4);
    CHECK(iterate(*learner)[1] == doctest::Approx(want));
    CHECK(learner->describe().memory_bytes >
          make_learner(options_of("aerr", 3, 2)).value()->describe().memory_bytes);
  }
}

// g̃ ~ 10¹⁶⁰ in the second example: its square is no number, and the step is refused.
TEST_CASE("adagrad goes on as if nothing had been after a gradient that is too large to be squared") {
  for (const char* algorithm : {"aerr", "aelr", "online-ridge"}) {
    LearnerOptions options = options_of(algorithm, 3, 2);
    REQUIRE(parse_step("adagrad:0.5", options).has_value());
    options.radius = 100;
    auto hit = make_learner(options).value();
    auto spared = make_learner(options).value();
    Plan plan;
    plan.attributes = {1};
    plan.data_point = {{0, 3.0}};
    Plan large = plan;
    large.data_point = {{0, 1e160}};
    CAPTURE(algorithm);
    for (const double label : {1.0, 2.0, -0.5}) {
      CHECK(hit->learn(plan, std::vector<double>{1}, label, 1) == Outcome::kLearned);
      CHECK(spared->learn(plan, std::vector<double>{1}, label, 1) == Outcome::kLearned);
      CHECK(hit->learn(large, std::vector<double>{1}, 1, 1) == Outcome::kDiverged);
      CHECK(iterate(*hit) == iterate(*spared));
    }
  }
}

TEST_CASE("the lasso learners ask for their radius") {
  for (const char* algorithm : {"aelr", "two-phase-ddaelr", "online-lasso"})
    CHECK(make_learner(options_of(algorithm, 3, 2)).error().message ==
          std::string("--algorithm ") + algorithm +
              ": needs --radius B, the largest sum of the weights' absolute values");
}

}  // namespace gaelr_trajectory_test
