#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "learn/core/small_model.h"
#include "learn/core/solving.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace queries_test {

// No question changes what is learned: after the same examples the state has the same bits, whatever was
// asked in between.

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 6;

LearnerOptions options_for(const std::string& algorithm) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDimension;
  options.budget = 3;
  if (has_l1_ball(algorithm)) options.radius = 3;
  if (algorithm == "aer") {
    options.step = StepKind::kNumber;
    options.step_number = 0.1;
  }
  if (screens(algorithm)) options.active = 4;
  return options;
}

std::unique_ptr<Learner> make(const LearnerOptions& options, bool solves_elsewhere) {
  const SecondMoments known = known_moments(std::vector<double>(kDimension, 1));
  auto learner = make_learner(options, wants_moments(options.algorithm) ? &known : nullptr).value();
  if (solves_elsewhere && learner->solving() != nullptr) learner->solving()->begin_capture();
  return learner;
}

// Everything that can be asked, and a model that is solved for beside the stream.
void ask(Learner& learner, Random& random, bool solves_elsewhere) {
  Solving* const solving = learner.solving();
  if (solving != nullptr && random.below(2) == 0)
    solving->wish({.weight_errors = true, .small_models = {SmallModelQuestion{.attributes = 2, .cost = {}}}});
  if (solving != nullptr && solves_elsewhere) {
    if (auto ahead = solving->take_ahead()) ahead->run({});
    solving->begin_capture();
    if (random.below(3) == 0) return;  // given up
    while (!solving->capture(std::numeric_limits<std::size_t>::max())) continue;
    solving->adopt(solving->solve({}));
  }
  std::vector<Entry> question;
  for (Attribute i = 0; i < kDimension; ++i) question.push_back({i, i == 2 ? NAN : random.uniform()});
  Model model;
  learner.model(model);
  learner.predict(question);
  learner.predict_as_judged(question);
  learner.predict_with(*learner.model_of_predictions(), question);
  learner.shared_model();
  learner.importances();
  learner.weight_errors();
  learner.small_model(SmallModelQuestion{.attributes = 2, .cost = {}});
  learner.judged_basis();
  learner.class_model();
  learner.describe();
  if (learner.is_classifier()) {
    std::vector<double> scores(learner.classes().size());
    learner.class_scores(nullptr, question, scores);
    learner.judged_class_scores(question, scores);
  }
  for (Attribute i = 0; i < kDimension; ++i) {
    learner.sampling_row(i);
    learner.reach(i);
  }
  saved(learner);
}

enum class Asks { kNothing, kNow };

State state_after(const LearnerOptions& options, bool solves_elsewhere, bool classes, Asks asks) {
  auto learner = make(options, solves_elsewhere);
  if (classes) learner->make_classifier();
  Source source(kDimension, 5);
  Random draws(6);
  Random questions(7);
  Random gaps(8);
  Plan plan;
  for (int t = 0; t < 700; ++t) {
    const std::vector<double>& x = source.next();
    learner->plan(draws, plan);
    if (learner->learns_from_entries()) plan.attributes = {0, 1, 2, 3, 4, 5};
    std::vector<double> values = reveal(plan, x);
    const double share = t % 5 == 0 ? 1 : 0.1;  // of missing values; some examples have the label alone
    for (double& value : values)
      if (gaps.uniform() < share) value = NAN;
    const double label = classes ? static_cast<double>(source.label() > 0.3) : source.label();
    learner->learn(plan, values, label, 1);
    if (asks != Asks::kNothing && questions.below(4) == 0) ask(*learner, questions, solves_elsewhere);
    if (t == 350) {
      const State state = saved(*learner);
      learner = make(options, solves_elsewhere);
      if (classes) learner->make_classifier();
      REQUIRE(learner->restore(state).has_value());
    }
  }
  return saved(*learner);
}

}  // namespace

TEST_CASE(
    "no question changes what any learner learns, also after a restart, wherever models are solved for") {
  for (const Algorithm& algorithm : kAlgorithms)
    for (const bool solves_elsewhere : {false, true})
      for (const bool classes : {false, true}) {
        if (solves_elsewhere && !keeps_pairs(algorithm.name)) continue;
        const LearnerOptions options = options_for(std::string(algorithm.name));
        INFO(algorithm.name, " ", solves_elsewhere, " ", classes);
        const State silent = state_after(options, solves_elsewhere, classes, Asks::kNothing);
        const State asked = state_after(options, solves_elsewhere, classes, Asks::kNow);
        REQUIRE(silent.tensors().size() == asked.tensors().size());
        for (const Tensor& tensor : silent.tensors()) {
          INFO(tensor.name);
          REQUIRE(asked.find(tensor.name) != nullptr);
          CHECK(asked.find(tensor.name)->bytes == tensor.bytes);
        }
      }
}

TEST_CASE("a model asked for has every record so far, those with a label alone as well") {
  for (const char* const algorithm : {"pairwise", "pairwise-screened"})
    for (const bool solves_elsewhere : {false, true}) {
      auto learner = make(options_for(algorithm), solves_elsewhere);
      Source source(kDimension, 5);
      Random draws(6);
      Plan plan;
      const auto fresh = [&] {
        if (solves_elsewhere) {
          Solving& solving = *learner->solving();
          solving.begin_capture();
          while (!solving.capture(std::numeric_limits<std::size_t>::max())) continue;
          solving.adopt(solving.solve({}));
        }
        return learner->shared_model()->bias;
      };
      const auto learn_label = [&](double label) {
        learner->plan(draws, plan);
        learner->learn(plan, std::vector<double>(plan.attributes.size(), NAN), label, 1);
      };
      for (int t = 0; t < 4; ++t) learn_label(t % 2);
      CHECK(fresh() == doctest::Approx(0.5));
      for (int t = 0; t < 100; ++t) {
        learner->plan(draws, plan);
        learner->learn(plan, reveal(plan, source.next()), source.label(), 1);
      }
      const double before = fresh();
      for (int t = 0; t < 20; ++t) learn_label(1);
      const double after = fresh();
      INFO(algorithm, " ", solves_elsewhere, " ", before, " ", after);
      CHECK(after > before);
      CHECK(learner->describe().origin->labels_alone == 24);
    }
}

}  // namespace queries_test
