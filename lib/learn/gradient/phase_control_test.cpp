#include "learn/gradient/phase_control.h"

#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace phase_control_test {

using namespace glimpse;
using namespace glimpse::test;
using Action = PhaseControl::Action;
using Rule = PhaseControl::Rule;

void learn_same(Learner& learner, const std::vector<double>& x, int examples) {
  Random random(1);
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, x), 0.5, 1);
  }
}

TEST_CASE("a fixed phase ends at its count, and q is planned again at every doubling") {
  PhaseControl phase(Rule::kFixed, 100, 10, 5);
  for (std::uint64_t n = 1; n < 100; ++n) CHECK(phase.after(n) == Action::kNone);
  CHECK(phase.after(100) == Action::kSwitch);
  phase.switch_now(100, 0, 0);
  for (std::uint64_t n = 101; n < 1000; ++n) {
    const bool doubled = n == 200 || n == 400 || n == 800;
    CHECK(phase.after(n) == (doubled ? Action::kReplan : Action::kNone));
  }
}

TEST_CASE("the auto rule is asked at powers of two and half-way between") {
  PhaseControl phase(Rule::kAuto, std::nullopt, 10, 5);
  std::vector<std::uint64_t> asked;
  for (std::uint64_t n = 1; n <= 300; ++n)
    if (phase.after(n) == Action::kConsider) asked.push_back(n);
  CHECK(asked == std::vector<std::uint64_t>{32, 48, 64, 96, 128, 192, 256});
}

TEST_CASE("with many attributes the auto rule is not asked before a good part was seen") {
  PhaseControl phase(Rule::kAuto, std::nullopt, 1000000, 5);
  for (std::uint64_t n = 1; n < 50000; ++n) REQUIRE(phase.after(n) == Action::kNone);
}

TEST_CASE("auto leaves the uniform phase where moments differ and stays where they do not") {
  for (const bool skewed : {true, false}) {
    LearnerOptions options = options_of("two-phase-ddaerr", 50, 6);
    auto learner = make_learner(options).value();
    Random random(1);
    Random coins(2);
    Plan plan;
    std::vector<double> x(50);
    for (int t = 0; t < 20000; ++t) {
      for (std::size_t i = 0; i < 50; ++i)
        x[i] = coins.uniform() < (skewed ? 1.0 / static_cast<double>(i + 1) : 0.3) ? 1 : 0;
      learner->plan(random, plan);
      learner->learn(plan, reveal(plan, x), x[0] - x[1], 1);
    }
    CHECK(learner->describe().phase == (skewed ? 2 : 1));
    if (skewed) {
      CHECK(learner->sampling_row(0).probability > 3 * learner->sampling_row(49).probability);
      CHECK(learner->describe().phase_reason.find("phase 2 since example ") == 0);
    }
  }
}

// Of 80 streams of alike attributes 9 or more switch with a chance below 1 % where each does with one of 1
// in 20.
TEST_CASE(
    "lasso's auto rule stays where attributes are alike, and switches in some hundred examples where not") {
  const auto switched_at = [](std::uint64_t seed, bool skewed, auto draw) {
    LearnerOptions options = options_of("two-phase-ddaelr", 50, 6);
    options.radius = 4;
    auto learner = make_learner(options).value();
    Random random(seed);
    Random coins(seed + 1000);
    Plan plan;
    std::vector<double> x(50);
    int t = 1;
    for (; t <= 3100; ++t) {
      for (std::size_t i = 0; i < 50; ++i)
        x[i] = draw(coins) * (skewed ? 1 / std::sqrt(static_cast<double>(i + 1)) : 1.0);
      learner->plan(random, plan);
      learner->learn(plan, reveal(plan, x), x[0] - x[1], 1);
      if (learner->describe().phase == 2) break;
    }
    return t;
  };
  const auto uniform = [](Random& coins) { return coins.uniform() - 0.5; };
  const auto bell = [](Random& coins) { return coins.uniform() + coins.uniform() + coins.uniform() - 1.5; };
  const auto sparse = [](Random& coins) { return coins.uniform() < 0.05 ? 1.0 : 0.0; };
  const auto skew = [](Random& coins) { return -std::log(1 - coins.uniform()); };
  int early = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const int at : {switched_at(seed, false, uniform), switched_at(seed, false, bell),
                         switched_at(seed, false, sparse), switched_at(seed, false, skew)})
      early += at <= 3100 ? 1 : 0;
  CHECK(early <= 8);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CHECK(switched_at(seed, true, uniform) <= 512);
    CHECK(switched_at(seed, true, bell) <= 768);
  }
}

TEST_CASE("after the switch q follows moments that were wrong at first") {
  LearnerOptions options = options_of("two-phase-ddaerr", 20, 6);
  options.phase1_examples = 50;
  auto learner = make_learner(options).value();
  Random random(1);
  Plan plan;
  double early = 0;
  for (int t = 1; t <= 20000; ++t) {
    learner->plan(random, plan);
    std::vector<double> values;
    for (const Attribute i : plan.attributes) values.push_back(i == 3 && t > 50 ? 1.0 : 0.1);
    learner->learn(plan, values, 0.1, 1);
    if (t == 60) early = learner->sampling_row(3).probability;
  }
  CHECK(early < 0.07);
  CHECK(learner->sampling_row(3).probability > 0.25);  // √1 against 19·√0.01: 0.34
}

// q ∝ A + 13/6·ε. Eight reveals leave the theory's ε at 4·ln(800)/8 = 3.3, beyond every moment there can be.
TEST_CASE("lasso's confidence is the theory's up to one, and a number as it is given") {
  for (const bool theory : {true, false}) {
    LearnerOptions options = options_of("two-phase-ddaelr", 4, 2);
    options.radius = 1;
    options.phase1_examples = 4;
    if (theory) {
      options.confidence.reset();
    } else {
      options.confidence = 3;
    }
    auto learner = make_learner(options).value();
    learn_same(*learner, {1, 0, 0, 0}, 4);
    REQUIRE(learner->describe().phase == 2);
    const auto shrunk = [&](Attribute i) {  // towards the mean moment of the attributes seen
      double total = 0;
      double seen = 0;
      for (Attribute j = 0; j < 4; ++j) {
        total += learner->sampling_row(j).moment.second;
        seen += learner->sampling_row(j).moment.count > 0 ? 1 : 0;
      }
      const Moment moment = learner->sampling_row(i).moment;
      return (moment.count * moment.second + total / seen) / (moment.count + 1.0);
    };
    REQUIRE(learner->sampling_row(0).moment.count > 0);
    double sum = 0;
    for (Attribute i = 0; i < 4; ++i) sum += shrunk(i) + 13.0 / 6 * (theory ? 1 : 3);
    for (Attribute i = 0; i < 4; ++i) {
      const double q = (shrunk(i) + 13.0 / 6 * (theory ? 1 : 3)) / sum;
      CHECK(learner->sampling_row(i).probability == doctest::Approx(0.0025 + 0.99 * q).epsilon(0.01));
    }
  }
}

// Some 200 reveals an attribute: with ε = 1 the gain is certain, with the 3.4 of δ = 10⁻³⁰⁰ it would not be.
TEST_CASE("the auto rule takes lasso's confidence as at most one, too") {
  LearnerOptions options = options_of("two-phase-ddaelr", 50, 10);
  options.radius = 1;
  options.delta = 1e-300;
  options.control_variates = false;
  options.confidence.reset();
  auto learner = make_learner(options).value();
  std::vector<double> x(50);
  x[7] = 1;
  learn_same(*learner, x, 1024);
  CHECK(learner->describe().phase == 2);
}

TEST_CASE("the theory's confidence counts the uniform draws of phase 1 alone") {
  struct Form {
    Draws draws;
    Split split;
    double uniform;  // of four draws
  };
  for (const Form& form : {Form{Draws::kSeparate, Split::kEven, 2}, Form{Draws::kSeparate, Split::kPaper, 3},
                           Form{Draws::kPairs, Split::kEven, 2}}) {
    LearnerOptions options = options_of("two-phase-ddaerr", 4, 4);
    options.draws = form.draws;
    options.split = form.split;
    options.control_variates = false;
    options.step = StepKind::kNumber;
    options.step_number = 0.01;
    options.phase1_examples = 400;
    options.confidence.reset();
    auto learner = make_learner(options).value();
    learn_same(*learner, {0.3, 0.2, 0.1, 0}, 400);
    REQUIRE(learner->describe().phase == 2);
    // Hundreds of reveals each: moments are those of the values. ε = d·ln(2d/δ)/(u m₁).
    const double epsilon = 4 * std::log(8 / options.delta) / (form.uniform * 400);
    double sum = 0;
    for (const double second : {0.09, 0.04, 0.01, 0.0}) sum += std::sqrt(second + 13.0 / 6 * epsilon);
    const double q = std::sqrt(13.0 / 6 * epsilon) / sum;
    // Another count of draws would be off by 3 to 8 %, and the levels of q round by 1.6 % at most.
    CHECK(learner->sampling_row(3).probability == doctest::Approx(0.0025 + 0.99 * q).epsilon(0.02));
  }
}

}  // namespace phase_control_test
