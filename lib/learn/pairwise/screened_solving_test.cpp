#include <algorithm>
#include <doctest/doctest.h>

#include "learn/learner_test_support.h"
#include "learn/pairwise/screened_pairwise.h"

namespace screened_solving_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions options_for(std::size_t active) {
  LearnerOptions options = options_of("pairwise-screened", 40, 8);
  options.bias = true;
  options.active = active;
  return options;
}

}  // namespace

TEST_CASE("a screened learner's copy, solved when it has learned on, is that of its moment") {
  for (const std::size_t active : {20, 40}) {
    ScreenedPairwise learner(options_for(active));
    Random random(1);
    Source source(40, 2);
    learn_from(learner, random, source, 1000);
    REQUIRE(learner.active().size() > 2);
    const auto chosen = learner.active();
    Model inline_model;
    learner.model(inline_model);

    learner.begin_capture();
    while (!learner.capture(1)) continue;
    learn_from(learner, random, source, 5000);  // with reviews
    const std::shared_ptr<const Solution> solution = learner.solve({});
    if (active < 40) CHECK(learner.active() != chosen);
    REQUIRE(solution);
    CHECK(solution->origin.examples == 1000);
    CHECK(solution->origin.attributes_revealed == 8000);
    CHECK(solution->model.weights == inline_model.weights);
    CHECK(solution->model.bias == inline_model.bias);

    learner.adopt(solution);
    Model adopted;
    learner.model(adopted);
    CHECK(adopted.weights == inline_model.weights);
    CHECK(learner.describe().origin->examples == 1000);
    learn_from(learner, random, source, 3000);
    CHECK(learner.predict(std::vector<Entry>{{0, 1.0}}) == inline_model.bias + inline_model.weights[0]);
  }
}

TEST_CASE("a copy that spans a change of the active attributes is begun again") {
  ScreenedPairwise learner(options_for(20));
  Random random(1);
  Source source(40, 2);
  int begun_again = 0;
  learn_from(learner, random, source, 60);
  for (int t = 0; t < 400; ++t) {
    learner.begin_capture();
    const auto before = learner.active();
    const bool at_once = learner.capture(1);
    learn_from(learner, random, source, 10);
    if (learner.active() != before) {
      ++begun_again;
      CHECK_FALSE(learner.capture(std::size_t{1} << 30));
      CHECK(learner.capture(std::size_t{1} << 30));
      const auto solution = learner.solve({});
      CHECK(solution->origin.examples == learner.counts().examples);
      for (std::size_t i = 0; i < 40; ++i)
        if (!std::binary_search(learner.active().begin(), learner.active().end(), static_cast<Attribute>(i)))
          CHECK(solution->model.weights[i] == 0);
    } else if (!at_once) {
      CHECK(learner.capture(std::size_t{1} << 30));
    }
  }
  CHECK(begun_again >= 3);
}

TEST_CASE("with no attribute active the solution is the mean of the labels") {
  ScreenedPairwise learner(options_for(20));
  Plan plan;
  Random random(1);
  for (const double label : {1.0, 2.0, 6.0}) {
    learner.plan(random, plan);
    learner.learn(plan, std::vector<double>(8, 1.0), label, 1);
  }
  REQUIRE(learner.active().empty());
  learner.begin_capture();
  CHECK(learner.capture(1));
  const auto solution = learner.solve({});
  CHECK(solution->model.bias == doctest::Approx(3));
  CHECK(solution->model.weights == std::vector<double>(40, 0.0));
}

TEST_CASE("a screened learner's solve that is cancelled gives nothing") {
  ScreenedPairwise learner(options_for(20));
  Random random(1);
  Source source(40, 2);
  learn_from(learner, random, source, 1000);
  learner.begin_capture();
  while (!learner.capture(1000)) continue;
  CHECK_FALSE(learner.solve([] { return true; }));
}

TEST_CASE("the learner's own models judge, whatever is adopted, and the same as where nothing is") {
  ScreenedPairwise learner(options_for(20));
  ScreenedPairwise alone(options_for(20));
  Random random(1);
  Random same(1);
  Source source(40, 2);
  Source also(40, 2);
  learn_from(learner, random, source, 1000);
  learn_from(alone, same, also, 1000);
  learner.begin_capture();
  while (!learner.capture(1000)) continue;
  auto wrong = std::make_shared<Solution>(*learner.solve({}));
  wrong->model.weights.assign(40, 0.0);
  wrong->model.bias = 1e3;
  learner.adopt(wrong);
  learn_from(learner, random, source, 3000);
  learn_from(alone, same, also, 3000);
  CHECK(learner.predict({}) == 1e3);
  CHECK(learner.progressive_loss().total().count == alone.progressive_loss().total().count);
  CHECK(learner.progressive_loss().total().mean == alone.progressive_loss().total().mean);
}

}  // namespace screened_solving_test
