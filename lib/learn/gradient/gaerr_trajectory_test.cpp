#include <algorithm>
#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace gaerr_trajectory_test {

using namespace glimpse;
using namespace glimpse::test;

// d = 3, K = 4 draws would be 2 + 2; with scripted draws of one each the sums stay short enough to follow on
// paper. η = 1/2, B = 1, q uniform: a data-point draw has coefficient 1/(1·1/3) = 3.
TEST_CASE("the weights follow a trajectory computed by hand, through the projection and the average") {
  LearnerOptions options = options_of("aerr", 3, 2);
  options.step_number = 0.5;
  options.radius = 1;
  auto learner = make_learner(options).value();
  Model model;

  // t = 1: w = 0, so φ̃ = −y = −1/4. x̃ = 3·x_1 e_1 with x_1 = 1/2: g̃ = −3/8 e_1, v = 3/16 e_1, inside the
  // ball.
  Plan plan;
  plan.attributes = {1};
  plan.data_point = {{0, 3.0}};
  CHECK(learner->learn(plan, std::vector<double>{0.5}, 0.25, 1) == Outcome::kLearned);
  CHECK(iterate(*learner)[1] == doctest::Approx(3.0 / 16).epsilon(1e-15));
  learner->model(model);
  CHECK(model.weights == std::vector<double>{0, 0, 0});  // the average of w_1 = 0

  // t = 2: the inner-product draw is j = 1 with p = 1: coefficient w_1/1 = 3/16, x_1 = 1, y = −1: φ̃ = 3/16 +
  // 1 = 19/16. Data point i = 2, x_2 = −1: x̃ = −3 e_2, g̃ = −57/16 e_2, v = (0, 3/16, 57/32); ‖v‖² = (36 +
  // 3249)/1024, projected onto 1.
  plan.attributes = {1, 2};
  plan.data_point = {{1, 3.0}};
  plan.inner_product = {{0, 3.0 / 16}};
  CHECK(learner->learn(plan, std::vector<double>{1, -1}, -1, 1) == Outcome::kLearned);
  const double length = std::sqrt(3285.0) / 32;
  CHECK(iterate(*learner)[1] == doctest::Approx(3.0 / 16 / length).epsilon(1e-14));
  CHECK(iterate(*learner)[2] == doctest::Approx(57.0 / 32 / length).epsilon(1e-14));
  learner->model(model);
  CHECK(model.weights[1] == doctest::Approx(3.0 / 32).epsilon(1e-14));  // (0 + 3/16)/2
  CHECK(model.weights[2] == doctest::Approx(0).epsilon(1e-14));

  // t = 3: both draws fall on attribute 2 (one attribute revealed for two draws): w_2/p_2 with p_2 = 1
  // scripted.
  const double w1 = 3.0 / 16 / length;
  const double w2 = 57.0 / 32 / length;
  plan.attributes = {2};
  plan.data_point = {{0, 3.0}};
  plan.inner_product = {{0, w2}};
  CHECK(learner->learn(plan, std::vector<double>{0.5}, 0, 1) == Outcome::kLearned);
  const double moved = w2 - 0.5 * (w2 * 0.5) * 1.5;  // inside the ball: it shrank
  CHECK(iterate(*learner)[2] == doctest::Approx(moved).epsilon(1e-14));
  learner->model(model);
  CHECK(model.weights[0] == 0);
  CHECK(model.weights[1] == doctest::Approx((3.0 / 16 + w1) / 3).epsilon(1e-14));
  CHECK(model.weights[2] == doctest::Approx(w2 / 3).epsilon(1e-14));

  CHECK(learner->counts().examples == 3);
  CHECK(learner->counts().attributes_revealed == 4);  // 1 + 2 + 1 distinct attributes
}

TEST_CASE("the bias is an attribute that is always one: it moves by the whole residual") {
  LearnerOptions options = options_of("aerr", 3, 2);
  options.bias = true;
  auto learner = make_learner(options).value();
  Plan plan;
  plan.attributes = {0};
  plan.data_point = {{0, 3.0}};
  learner->learn(plan, std::vector<double>{1}, 2, 1);  // φ̃ = −2, η = 0.1
  CHECK(iterate(*learner)[0] == doctest::Approx(0.6));
  CHECK(iterate(*learner)[3] == doctest::Approx(0.2));
  plan.offset = 0.2;
  learner->learn(plan, std::vector<double>{0}, 0, 1);  // φ̃ = 0.2
  CHECK(iterate(*learner)[3] == doctest::Approx(0.18));
}

TEST_CASE("importance multiplies the gradient") {
  auto once = make_learner(options_of("aerr", 3, 2)).value();
  Plan plan;
  plan.attributes = {2};
  plan.data_point = {{0, 3.0}};
  once->learn(plan, std::vector<double>{1}, 1, 2.5);
  CHECK(iterate(*once)[2] == doctest::Approx(0.1 * 3 * 2.5));
}

TEST_CASE("an example of importance 0 leaves no trace but in the counts") {
  const std::pair<const char*, Form> cases[] = {{"online-ridge", kForms[0]}, {"aerr", kForms[0]},
                                                {"aerr", kForms[1]},         {"aerr", kForms[2]},
                                                {"aerr", kForms[3]},         {"aelr", kForms[3]}};
  for (const auto& [algorithm, form] : cases) {
    LearnerOptions options = options_of(algorithm, 3, 2);
    set_form(options, form);
    options.step = StepKind::kAuto;
    options.bias = true;
    if (has_l1_ball(algorithm)) options.radius = 3;
    auto with = make_learner(options).value();
    auto without = make_learner(options).value();
    Random random(3);
    Source source(3, 3);
    Plan plan;
    for (int t = 0; t < 20; ++t) {
      const std::vector<double> x = source.next();
      with->plan(random, plan);
      with->learn(plan, reveal(plan, x), source.label(), 1);
      without->learn(plan, reveal(plan, x), source.label(), 1);
      with->learn(plan, reveal(plan, x), 1e6, 0);
    }
    CHECK(with->counts().examples == 40);
    Model a;
    Model b;
    with->model(a);
    without->model(b);
    CHECK(a.weights == b.weights);
    CHECK(a.bias == b.bias);
  }
}

TEST_CASE("examples of importance 0 move no phase, whatever the rule, and neither across a restore") {
  for (const char* algorithm : {"two-phase-ddaerr", "two-phase-ddaelr"}) {
    for (const bool automatic : {false, true}) {
      LearnerOptions options = options_of(algorithm, 40, 6);
      options.step = StepKind::kTheory;
      options.horizon = 5000;
      options.radius = 2;
      if (!automatic) {
        options.confidence.reset();  // by which q and the step depend on m₁
        options.phase1_examples = 100;
      }
      auto with = make_learner(options).value();
      auto without = make_learner(options).value();
      Random random(3);
      Source source(40, 3);
      Plan plan;
      CAPTURE(algorithm);
      CAPTURE(automatic);
      for (int t = 1; t <= 2000; ++t) {
        const std::vector<double> x = source.next();
        without->plan(random, plan);
        with->learn(plan, reveal(plan, x), source.label(), 1);
        without->learn(plan, reveal(plan, x), source.label(), 1);
        for (int i = 0; i < 3; ++i) with->learn(plan, reveal(plan, x), source.label(), 0);
        REQUIRE(with->describe().phase == without->describe().phase);
        REQUIRE(with->describe().step_size == without->describe().step_size);
        REQUIRE(with->sampling_row(0).probability == without->sampling_row(0).probability);
        if (t != 50 && t != 150) continue;
        auto restored = make_learner(options).value();
        REQUIRE(restored->restore(saved(*with)).has_value());
        with = std::move(restored);
      }
      CHECK(with->counts().examples == 8000);
      CHECK(with->describe().phase == 2);
      CHECK(with->describe().phase_reason == without->describe().phase_reason);
    }
  }
}

// 3000 examples, one whose attributes are a million times too large, and 3000 more.
TEST_CASE("with the auto step one outlier does not throw the model") {
  const std::pair<const char*, Form> cases[] = {{"online-ridge", kForms[0]},
                                                {"aerr", kForms[0]},
                                                {"aerr", kForms[1]},
                                                {"aerr", kForms[2]},
                                                {"aerr", kForms[3]}};
  for (const auto& [algorithm, form] : cases) {
    LearnerOptions options = options_of(algorithm, 5, 3);
    set_form(options, form);
    options.step = StepKind::kAuto;
    options.bias = true;
    auto learner = make_learner(options).value();
    Random random(8);
    Source source(5, 8);
    Plan plan;
    double worst = 0;
    for (int t = 0; t < 6000; ++t) {
      std::vector<double> x = source.next();
      const double label = source.label();
      if (t == 3000)
        for (double& value : x) value *= 1e6;
      learner->plan(random, plan);
      learner->learn(plan, reveal(plan, x), label, 1);
      std::vector<Entry> entries;
      for (Attribute i = 0; i < 5; ++i) entries.push_back({i, t == 3000 ? x[i] / 1e6 : x[i]});
      if (t > 1000) worst = std::max(worst, std::abs(learner->predict(entries)));
    }
    CHECK(worst < 6);  // labels lie between −4 and 4
  }
}

}  // namespace gaerr_trajectory_test
