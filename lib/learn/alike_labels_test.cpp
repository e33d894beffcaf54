#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "learn/core/state_check.h"
#include "learn/learner_forms_test_support.h"
#include "learn/learner_test_support.h"

namespace alike_labels_test {

// Labels that are alike for long, values that never change, importances of every size: whatever comes of
// them, a state can be saved, and restored.

using namespace glimpse;
using namespace glimpse::test;

namespace {

struct Stream {
  std::string name;
  std::function<double(Random&, int t)> label;  // of example t; a class: below 2
  std::function<double(int t)> importance = [](int) { return 1.0; };
  std::function<double(Random&, std::size_t i)> value = [](Random& random, std::size_t) {
    return random.uniform() - 0.5;
  };
};

double zero(Random&, int) { return 0; }
double coin(Random& random, int) { return random.uniform() < 0.5 ? 1 : 0; }
double rare(Random& random, int) { return random.uniform() < 0.01 ? 1 : 0; }
double late(Random& random, int t) { return t < 150 ? 0 : coin(random, t); }

std::vector<Stream> streams() {
  return {
      {"zeros", zero},
      {"one value", [](Random&, int) { return 1.0; }},
      {"rare events", rare},
      {"one event", [](Random&, int t) { return t == 60 ? 1.0 : 0.0; }},
      {"alike at first", late},
      {"zeros of constants", zero, [](int) { return 1.0; }, [](Random&, std::size_t) { return 3.0; }},
      {"coins of constants", coin, [](int) { return 1.0; }, [](Random&, std::size_t) { return 3.0; }},
      {"coins of zeros", coin, [](int) { return 1.0; }, [](Random&, std::size_t) { return 0.0; }},
      {"rare events of one attribute", rare, [](int) { return 1.0; },
       [](Random& random, std::size_t i) { return i == 0 ? random.uniform() : 0.0; }},
      {"one example of importance 1e20", coin, [](int t) { return t == 50 ? 1e20 : 1.0; }},
      {"zeros, one of importance 1e20", zero, [](int t) { return t == 50 ? 1e20 : 1.0; }},
      {"the first of importance 1e30", coin, [](int t) { return t == 0 ? 1e30 : 1.0; }},
      {"importances of 1e-300", coin, [](int) { return 1e-300; }},
      {"importances of 1e-300 and 1e300", late, [](int t) { return t % 2 == 0 ? 1e-300 : 1e300; }},
      {"importances of 1e300", rare, [](int) { return 1e300; }},
      {"labels of 1e30 and importances of 1e30", [](Random& r, int t) { return coin(r, t) * 1e30; },
       [](int) { return 1e30; }, [](Random& r, std::size_t) { return 1e30 * (r.uniform() - 0.5); }},
      {"values that are missing", late, [](int) { return 1.0; },
       [](Random&, std::size_t) { return std::nan(""); }},
  };
}

std::string why(const Status& status) { return status ? "" : status.error().message; }

}  // namespace

TEST_CASE("whatever labels are alike and whatever they weigh, every state can be saved and restored") {
  for (const LearnerForm& form : learner_forms())
    for (const Stream& stream : streams()) {
      const auto learner = form_learner(form.options);
      REQUIRE(learner);
      if (form.classes > 0) learner->make_classifier(form.classes);
      CAPTURE(form.name);
      CAPTURE(stream.name);
      Random random(1);
      Plan plan;
      std::vector<double> x(form.options.dimension);
      State state;
      for (int t = 0; t < 300; ++t) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = stream.value(random, i);
        double label = stream.label(random, t);
        if (form.classes > 0 && label > 1) label = 1;
        std::vector<double> labels(learner->label_count(), label);
        learner->plan(random, plan);
        learner->learn(plan, reveal(plan, x), labels, stream.importance(t));
        if (t % 100 != 99 && t != 10 && t != 50) continue;
        state.begin();
        learner->save(state);
        state.finish();
        const Status checked = check_state(state);
        CHECK_MESSAGE(checked.has_value(), t, ": ", why(checked));
        if (!checked) break;
        const auto other = form_learner(form.options);
        const Status restored = other->restore(state);
        CHECK_MESSAGE(restored.has_value(), t, ": ", why(restored));
      }
    }
}

TEST_CASE("labels far from 0 have losses of the size of their variance, also behind a change and a restart") {
  for (const LearnerForm& form : learner_forms()) {
    if (form.classes > 0 || form.options.step == StepKind::kAdaGrad) continue;
    LearnerOptions options = form.options;
    options.half_life.reset();
    auto learner = form_learner(options);
    REQUIRE(learner);
    CAPTURE(form.name);
    Random random(1);
    Plan plan;
    std::vector<double> x(options.dimension);
    for (int t = 0; t < 6000; ++t) {
      for (double& value : x) value = random.uniform() - 0.5;
      const double label = 1e9 + (t < 3000 ? 2 : -2) * (x[0] - x[1]) + 0.1 * random.uniform();
      learner->plan(random, plan);
      if (learner->learns_from_entries()) plan.attributes = {0, 1, 2, 3, 4, 5, 6, 7, 8};
      learner->learn(plan, reveal(plan, x), std::vector<double>(learner->label_count(), label), 1);
      if (t != 40 && t != 4000) continue;
      State state;
      state.begin();
      learner->save(state);
      state.finish();
      REQUIRE(check_state(state).has_value());
      learner = form_learner(options);
      REQUIRE(learner->restore(state).has_value());
    }
    const ProgressiveLoss& loss = learner->progressive_loss();
    CHECK(loss.with_model().mean < 6 * learner->label_variance());
    CHECK(loss.recent().mean < 6 * learner->label_variance());
    Model model;
    learner->model(model);
    CHECK(std::abs(model.bias - 1e9) < 5);
    CHECK(std::abs(learner->predict({}) - 1e9) < 5);
  }
}

TEST_CASE("learners of labels far from 0 are merged about as if one had learned from all, in any order") {
  for (const char* const algorithm : {"baseline", "aerr", "pairwise"})
    for (const bool far_first : {false, true}) {
      const LearnerOptions options = form_options(algorithm);
      const auto merged = form_learner(options);
      Random random(1);
      Plan plan;
      std::vector<double> x(options.dimension);
      for (int part = 0; part < 2; ++part) {
        const auto one = form_learner(options);
        // One of so few examples that it has not noticed yet how far the labels are.
        const int count = (part == 0) == far_first ? 2000 : 20;
        for (int t = 0; t < count; ++t) {
          for (double& value : x) value = random.uniform() - 0.5;
          one->plan(random, plan);
          one->learn(plan, reveal(plan, x), 1e6 + x[0] - x[1] + part, 1);
        }
        REQUIRE(merged->merge(*one, {}).has_value());
      }
      merged->finish_merging();
      Model model;
      merged->model(model);
      INFO(algorithm, " ", far_first, " ", model.weights[0], " ", model.weights[1]);
      if (algorithm == std::string("aerr")) continue;
      CHECK(std::abs(model.bias - 1e6) < 2);
      CHECK(model.weights[0] - model.weights[1] > 1);
    }
}

}  // namespace alike_labels_test
