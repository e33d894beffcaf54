#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <limits>

#include "learn/factory.h"
#include "learn/iterates/step_size.h"
#include "learn/turning_stream_test_support.h"

namespace importance_step_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

std::vector<const char*> gradient_learners() {
  std::vector<const char*> names;
  for (const Algorithm& algorithm : kAlgorithms)
    if (algorithm.family == AlgorithmFamily::kGradient) names.push_back(algorithm.name.data());
  return names;
}

std::unique_ptr<Learner> made(const char* algorithm, const Form& form) {
  LearnerOptions options = options_of(algorithm, kDimension, 10);
  options.step = StepKind::kAuto;
  options.bias = true;
  options.phase1_examples = 500;
  if (has_l1_ball(algorithm)) options.radius = 15;
  if (is_budgeted_first_order(algorithm)) set_form(options, form);
  const SecondMoments known = known_moments(std::vector<double>(kDimension, 1.0));
  return make_learner(options, wants_moments(algorithm) ? &known : nullptr).value();
}

// Learns from the examples `begin` … `end` of a stream, number t with importance(t).
void learn_weighted(Learner& learner, Random& random, TurningStream& stream, int begin, int end,
                    const std::function<double(int)>& importance) {
  Plan plan;
  for (int t = begin; t < end; ++t) {
    const auto x = stream.next(1);
    learner.plan(random, plan);
    REQUIRE(learner.learn(plan, reveal(plan, x), stream.label, importance(t)) == Outcome::kLearned);
  }
}

std::unique_ptr<Learner> after(const char* algorithm, const Form& form, int examples,
                               const std::function<double(int)>& importance, std::uint64_t seed = 1) {
  auto learner = made(algorithm, form);
  Random random(seed);
  TurningStream stream(seed + 1);
  learn_weighted(*learner, random, stream, 0, examples, importance);
  return learner;
}

Model model_of(const Learner& learner) {
  Model model;
  learner.model(model);
  return model;
}

double always_one(int) { return 1; }
double mixed(int t) { return t % 3 == 0 ? 20 : t % 3 == 1 ? 1 : 0.1; }

}  // namespace

TEST_CASE("with the auto step one factor for all importances changes nothing" *
          doctest::test_suite("repeats")) {
  for (const char* algorithm : gradient_learners()) {
    for (const Form& form : kForms) {
      CAPTURE(std::string(algorithm));
      for (const auto& importance : {always_one, mixed}) {
        const Model plain = model_of(*after(algorithm, form, 2000, importance));
        for (const double power : {32.0, 0x1p-7, 0x1p40}) {
          const Model same =
              model_of(*after(algorithm, form, 2000, [&](int t) { return power * importance(t); }));
          CHECK(same.weights == plain.weights);  // powers of two round nothing
          CHECK(same.bias == plain.bias);
        }
        for (const double factor : {20.0, 0.003}) {
          const Model close =
              model_of(*after(algorithm, form, 2000, [&](int t) { return factor * importance(t); }));
          for (std::size_t i = 0; i < kDimension; ++i)
            CHECK(std::abs(close.weights[i] - plain.weights[i]) < 1e-9);
        }
      }
      if (is_full_information(algorithm)) break;
    }
  }
}

// A third of the examples has all but a hundredth of the weight.
TEST_CASE("with the auto step importances that differ are about as good as the examples that count" *
          doctest::test_suite("repeats")) {
  for (const char* algorithm : gradient_learners()) {
    for (const Form& form : kForms) {
      CAPTURE(std::string(algorithm));
      double third = 0;
      double uneven = 0;
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        third += held_out(*after(algorithm, form, 2667, always_one, seed), 1) / 5;
        uneven += held_out(*after(algorithm, form, 8000, mixed, seed), 1) / 5;
      }
      CHECK(uneven < 1.3 * third);
      if (is_full_information(algorithm)) break;
    }
  }
}

TEST_CASE("one example that counts for more than all before moves the prediction about to its label") {
  for (const char* algorithm : {"online-ridge", "aerr", "two-phase-ddaerr"}) {
    CAPTURE(std::string(algorithm));
    const Form form{Draws::kPairs, true};
    for (const double huge : {1e4, 1e8, 1e30}) {
      auto learner = made(algorithm, form);
      Random random(1);
      TurningStream stream(2);
      learn_weighted(*learner, random, stream, 0, 4000, always_one);
      const std::vector<double> before = iterate(*learner);
      learn_weighted(*learner, random, stream, 4000, 4001, [&](int) { return huge; });
      const std::vector<double> now = iterate(*learner);
      double moved = 0;  // ‖w‖ is about √10, that of the labels' weights
      for (std::size_t i = 0; i < now.size(); ++i) moved += std::pow(now[i] - before[i], 2);
      CAPTURE(huge);
      CHECK(std::sqrt(moved) < 10);
      CHECK(moved > 0);
    }
  }
}

TEST_CASE("the auto step by hand: V and N are means of importance times square, V times E[c²]/E[c]²") {
  AutoStep step;
  StepFacts facts{4, 1, 0, 0, 0, 0};
  facts.importance = 10;
  CHECK(step.next(facts) == doctest::Approx(0.5 / 40));
  facts.importance = 30;  // means: c 20, c² 500, c‖x̃‖² 80: V = 80·500/400 = 100
  CHECK(step.next(facts) == doctest::Approx(0.5 / 100));
  facts.importance =
      980;  // c 340, c² 320,466⅔, c‖x̃‖² 1,360: V = 3,770.2; its own label is at 340/(980·1,360)
  CHECK(step.next(facts) == doctest::Approx(0.5 / (1360 * (961400.0 / 3) / (340.0 * 340))));
  facts.importance = 1e9;  // E[c²]/E[c]² is 4, the number of examples
  CHECK(step.next(facts) == doctest::Approx(0.5 / (4 * 1e9)).epsilon(1e-5));
  step.begin_phase();
  facts.importance = 1;
  for (int t = 0; t < 999999; ++t) step.next(facts);
  facts.importance = 1000;  // c̄ = 1.001, E[c²] = 2: 0.5/(4.004·2) would overshoot 125 times
  CHECK(step.next(facts) == doctest::Approx(1 / (1000 * 4.0)).epsilon(1e-2));
}

TEST_CASE("exponentiated gradient's auto step knows that importances are in the gradient") {
  ExponentiatedStep step;
  StepFacts facts{0, 0, 3, 2, 5, 50};
  facts.importance = 3;  // (cφ̃)² = 36
  CHECK(step.next(facts) == doctest::Approx(std::sqrt(std::log(100.0) / (36 * 5))));
}

TEST_CASE("importances out of all proportion leave the auto step a number") {
  for (const double importance : {std::numeric_limits<double>::max(), 1e-300}) {
    AutoStep ridge;
    ExponentiatedStep lasso;
    StepFacts facts{4, 1, 3, 2, 5, 50};
    for (const double c : {1.0, importance, 1.0}) {
      facts.importance = c;
      CHECK(std::isfinite(ridge.next(facts)));
      CHECK(std::isfinite(lasso.next(facts)));
    }
  }
}

TEST_CASE("the importances seen are part of a checkpoint") {
  for (const char* algorithm : {"two-phase-ddaerr", "online-ridge", "aelr"}) {
    CAPTURE(std::string(algorithm));
    const Form form{Draws::kPairs, true};
    auto learner = made(algorithm, form);
    Random random(1);
    TurningStream stream(2);
    learn_weighted(*learner, random, stream, 0, 1000, mixed);
    auto restored = made(algorithm, form);
    REQUIRE(restored->restore(saved(*learner)).has_value());
    Random same = Random::from_state(random.state());
    TurningStream also = stream;
    learn_weighted(*learner, random, stream, 1000, 2000, mixed);
    learn_weighted(*restored, same, also, 1000, 2000, mixed);
    CHECK(model_of(*learner).weights == model_of(*restored).weights);
    CHECK(learner->describe().step_size == restored->describe().step_size);
  }
}

}  // namespace importance_step_test
