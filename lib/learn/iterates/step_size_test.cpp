#include "learn/iterates/step_size.h"

#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace step_size_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

// The steps of `learner` over `examples` whose attributes and label are all the same.
std::vector<double> steps_of(Learner& learner, int examples, double x, double label = 0.4) {
  Random random(1);
  Plan plan;
  std::vector<double> steps;
  for (int t = 0; t < examples; ++t) {
    learner.plan(random, plan);
    learner.learn(plan, std::vector<double>(plan.attributes.size(), x), label, 1);
    steps.push_back(learner.describe().step_size);
  }
  return steps;
}

// Four data-point draws an example, as the theorems count them.
LearnerOptions theory_options(const char* algorithm, std::size_t dimension, std::uint64_t horizon) {
  LearnerOptions options = options_of(algorithm, dimension, 5);
  options.split = Split::kPaper;
  options.step = StepKind::kTheory;
  options.horizon = horizon;
  options.radius = 2;
  return options;
}

}  // namespace

TEST_CASE("the theory's steps are those of the theorems, worked out by hand") {
  CHECK(theory::aerr_step(500, 4, 1000) == doctest::Approx(0.002));                        // √(4/10⁶)
  CHECK(theory::ddaerr_step(12, 4, 100) == doctest::Approx(0.05));                         // 1/√(100·4)
  CHECK(theory::confidence(500, 5, 0.01, 2000) == doctest::Approx(0.05 * std::log(1e5)));  // 500·ln(10⁵)/10⁴
  // H = 3, ε = 1/20, d = 10: √(5/3)·10·√(0.15) = 5; 2·3 + 2·5 + 4 = 20; √(4/100/20) above the floor
  // √(4/6000).
  CHECK(theory::two_phase_step(10, 4, 100, 3, 0.05) == doctest::Approx(std::sqrt(0.002)));
  CHECK(theory::two_phase_step(10, 4, 100, 1e9, 0) == doctest::Approx(std::sqrt(4.0 / 6000)));
}

TEST_CASE("the auto step starts at half of the inverse square and falls as the inverse root of t") {
  AutoStep step;
  CHECK(step.next({0, 0, 3, 0, 0, 0}) == 0);
  step.begin_phase();
  CHECK(step.next({4, 1, 0, 0, 0, 0}) == doctest::Approx(0.125));
  step.begin_phase();
  double eta = 0;
  for (int t = 0; t < 1000000; ++t) eta = step.next({4, 1, 3, 0, 0, 0});
  CHECK(eta == doctest::Approx(1 / std::sqrt(1e6 * 4 / 3)).epsilon(0.01));  // 1/√(t·V·N)
}

TEST_CASE("the theory's lasso steps are those of the theorems, worked out by hand") {
  const double log = std::log(100.0);  // ln 2d for d = 50
  // G = 2·√(8·50/4) = 20, 5m = 100.
  CHECK(theory::aelr_step(2, 50, 4, 20) == doctest::Approx(std::sqrt(log) / 200).epsilon(1e-12));
  // 2B = 4, 5m(12/4 + 1) = 100.
  CHECK(theory::ddaelr_step(2, 50, 12, 4, 5) == doctest::Approx(std::sqrt(log) / 40).epsilon(1e-12));
  // 8·3 + 20·50/50 + 4 = 48; 4/(20·2²·10·48) = 1/9600.
  CHECK(theory::two_phase_lasso_step(2, 50, 4, 10, 3, 0.02) ==
        doctest::Approx(std::sqrt(log / 9600)).epsilon(1e-12));
  // 500·ln(10⁵)/10⁴ is below 1, ten times that above.
  CHECK(theory::lasso_confidence(500, 5, 0.01, 2000) == doctest::Approx(0.05 * std::log(1e5)));
  CHECK(theory::lasso_confidence(500, 5, 0.01, 200) == 1);
}

TEST_CASE("the lasso learners take the theory's steps") {
  const double log = std::log(100.0);
  CHECK(steps_of(*make_learner(theory_options("aelr", 50, 20)).value(), 1, 0.1)[0] ==
        doctest::Approx(std::sqrt(log) / 200).epsilon(1e-9));
  const SecondMoments known = known_moments(std::vector<double>(50, 0.24));
  CHECK(steps_of(*make_learner(theory_options("ddaelr", 50, 5), &known).value(), 1, 0.1)[0] ==
        doctest::Approx(std::sqrt(log) / 40).epsilon(1e-9));
  CHECK(steps_of(*make_learner(theory_options("online-lasso", 50, 20)).value(), 1, 0.1)[0] ==
        doctest::Approx(std::sqrt(log) / 40).epsilon(1e-9));  // G = 2B = 4, 5m = 100

  // Every square is 0.06: ΣA = 3, also where an attribute was not seen, which counts as the mean.
  LearnerOptions options = theory_options("two-phase-ddaelr", 50, 30);
  options.phase1_examples = 20;
  options.phase1_radius = 3;
  options.confidence = 0.02;
  const std::vector<double> numbered = steps_of(*make_learner(options).value(), 21, std::sqrt(0.06));
  CHECK(numbered[0] == doctest::Approx(std::sqrt(log) / 300).epsilon(1e-9));
  CHECK(numbered[19] == numbered[0]);
  CHECK(numbered[20] == doctest::Approx(std::sqrt(log / 9600)).epsilon(1e-9));

  // The theory's ε: 50·ln(10⁴)/(5·20) is above 1. 8·3 + 20·50 + 4 = 1028.
  options.confidence.reset();
  const std::vector<double> cautious = steps_of(*make_learner(options).value(), 21, std::sqrt(0.06));
  CHECK(cautious[20] == doctest::Approx(std::sqrt(log / (200 * 1028))).epsilon(1e-9));
}

// d = 10, k = 4, m₂ = 100 and ε = 0.003, where η₂ = √(0.04/(2H + 20·√(5/3·0.003·H) + 4)) is above η₁.
TEST_CASE("two-phase-ddaerr takes H from its moments, or where it is known from --half-norm") {
  LearnerOptions options = theory_options("two-phase-ddaerr", 10, 120);
  options.phase1_examples = 20;
  options.confidence = 0.003;
  // Every square is 0.02: H = (10·√(0.04 + 0.01))² = 5.
  const std::vector<double> estimated = steps_of(*make_learner(options).value(), 21, std::sqrt(0.02));
  options.half_norm = 3;
  const std::vector<double> known = steps_of(*make_learner(options).value(), 21, std::sqrt(0.02));
  CHECK(estimated[0] == doctest::Approx(std::sqrt(4 / (2 * 10 * 20.0))).epsilon(1e-9));
  CHECK(known[0] == estimated[0]);
  CHECK(estimated[20] == doctest::Approx(std::sqrt(0.04 / (14 + 20 * std::sqrt(0.025)))).epsilon(1e-9));
  CHECK(known[20] == doctest::Approx(std::sqrt(0.04 / (10 + 20 * std::sqrt(0.015)))).epsilon(1e-9));
}

TEST_CASE("exponentiated gradient's auto step falls as the inverse root of t, and knows the residuals") {
  ExponentiatedStep step;
  CHECK(step.next({0, 0, 3, 0, 5, 50}) == 0);
  step.begin_phase();
  CHECK(step.next({0, 0, 3, 2, 5, 50}) == doctest::Approx(std::sqrt(std::log(100.0) / 20)));  // φ̃² = 4
  double eta = 0;
  for (int t = 2; t <= 10000; ++t) eta = step.next({0, 0, 3, 2, 5, 50});
  CHECK(eta == doctest::Approx(std::sqrt(std::log(100.0) / 20) / 100).epsilon(1e-9));
  step.begin_phase();
  for (int t = 1; t <= 100; ++t) eta = step.next({0, 0, 3, t % 2 == 0 ? 1.0 : -3.0, 5, 50});
  CHECK(eta == doctest::Approx(std::sqrt(std::log(100.0) / (100 * 5 * 5))));  // the mean of φ̃² is 5
}

// The first residual is −0.4, and the largest second moment of x̃ is at most 3/k + 1 for uniform draws.
TEST_CASE("the lasso learners give their auto step the largest moment of the estimate, and all coordinates") {
  for (const bool bias : {false, true}) {
    LearnerOptions options = options_of("aelr", 3, 2);
    options.step = StepKind::kAuto;
    options.radius = 2;
    options.bias = bias;
    CHECK(steps_of(*make_learner(options).value(), 1, 0.5)[0] ==
          doctest::Approx(std::sqrt(std::log(bias ? 8.0 : 6.0) / (0.16 * 4))));
  }
}

}  // namespace step_size_test
