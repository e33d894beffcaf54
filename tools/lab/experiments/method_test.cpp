#include "lab/experiments/method.h"

#include <cmath>
#include <doctest/doctest.h>

#include "lab/experiments/evaluation.h"
#include "lab/offline/offline_ridge.h"
#include "lab/offline/offline_test_support.h"

namespace method_test {

using namespace glimpse;

namespace {

Method learner(const char* algorithm, std::size_t budget) {
  Method method;
  method.learner.algorithm = algorithm;
  method.learner.budget = budget;
  method.learner.step = StepKind::kNumber;
  method.learner.step_number = 0.01;
  method.learner.radius = 2;
  return method;
}

struct Copy {
  std::uint64_t examples;
  std::uint64_t attributes;
  std::vector<double> weights;
};

std::vector<Copy> run(const Method& method, const DenseSet& set, std::vector<std::size_t> prefixes,
                      std::uint64_t seed = 1) {
  std::vector<Copy> copies;
  const auto status =
      run_method(method, set, natural_order(set.size()), prefixes, seed,
                 [&](const Snapshot& s) { copies.push_back({s.examples, s.attributes, s.model.weights}); });
  REQUIRE(status.has_value());
  return copies;
}

}  // namespace

TEST_CASE("a learner's prefix is the run that ends there, and the budget holds") {
  const DenseSet set = correlated_set(300, 20, 0, 1);
  for (const char* algorithm : {"aerr", "ddaerr", "two-phase-ddaerr"}) {
    CAPTURE(algorithm);
    const auto both = run(learner(algorithm, 4), set, {100, 300});
    const auto one = run(learner(algorithm, 4), set, {100});
    REQUIRE(both.size() == 2);
    CHECK(both[0].weights == one[0].weights);
    CHECK(both[0].examples == 100);
    CHECK(both[1].attributes <= 4 * 300);
    CHECK(both[1].attributes > both[0].attributes);
  }
}

TEST_CASE("a share as phase 1 is a share of each prefix, a horizon makes it one run") {
  const DenseSet set = correlated_set(300, 20, 0, 1);
  Method method = learner("two-phase-ddaerr", 4);
  const auto own = run(method, set, {100, 300});
  method.learner.horizon = 300;
  const auto fixed = run(method, set, {100, 300});
  CHECK(own[1].weights == fixed[1].weights);
  CHECK(own[0].weights != fixed[0].weights);
}

TEST_CASE("passes go over the prefix again with new draws, and every reveal counts") {
  const DenseSet set = correlated_set(300, 12, 0, 4);
  Method method = learner("aerr", 4);
  method.passes = 3;
  const auto thrice = run(method, set, {100, 300});
  REQUIRE(thrice.size() == 2);
  CHECK(thrice[0].examples == 100);
  CHECK(thrice[1].examples == 300);
  method.passes = 1;
  const auto once = run(method, set, {100, 300});
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(thrice[i].attributes > 2 * once[i].attributes);
    CHECK(thrice[i].attributes <= 3 * 4 * thrice[i].examples);
  }
  // The same as one pass over the rows three times over.
  DenseSet copies = set;
  copies.values.resize(100 * set.dimension);
  copies.labels.resize(100);
  for (int copy = 1; copy < 3; ++copy)
    for (std::size_t i = 0; i < 100; ++i) {
      const auto row = set.row(i);
      copies.values.insert(copies.values.end(), row.begin(), row.end());
      copies.labels.push_back(set.labels[i]);
    }
  CHECK(run(method, copies, {300})[0].weights == thrice[0].weights);

  method.passes = 2;
  method.learner.algorithm = "offline-ridge";
  CHECK(check(method, set.dimension).error().message == "--passes 2: has no effect on offline solvers");
}

TEST_CASE("the same seed gives the same model, another seed another") {
  const DenseSet set = correlated_set(100, 20, 0, 1);
  CHECK(run(learner("aerr", 4), set, {100}, 5)[0].weights ==
        run(learner("aerr", 4), set, {100}, 5)[0].weights);
  CHECK(run(learner("aerr", 4), set, {100}, 5)[0].weights !=
        run(learner("aerr", 4), set, {100}, 6)[0].weights);
}

TEST_CASE("offline methods solve on the prefix and count every attribute") {
  const DenseSet set = correlated_set(60, 8, 0, 1);
  Method method;
  method.learner.algorithm = "offline-ridge";
  method.learner.radius = 1.5;
  const auto copies = run(method, set, {20, 60});
  CHECK(copies[0].attributes == 160);
  RowOrder rows = natural_order(20);
  const Eigen::VectorXd w = OfflineRidge(normal_equations(set, rows, false)).solve(1.5);
  for (std::size_t j = 0; j < 8; ++j) CHECK(copies[0].weights[j] == w[static_cast<Eigen::Index>(j)]);
}

TEST_CASE("online ridge looks at every attribute") {
  const DenseSet set = correlated_set(60, 8, 0, 1);
  CHECK(run(learner("online-ridge", 0), set, {60})[0].attributes == 480);
  CHECK(attributes_per_example(learner("online-ridge", 3), 8) == 8);
  CHECK(attributes_per_example(learner("aerr", 3), 8) == 3);
}

TEST_CASE("what make_learner refuses is refused in its words") {
  CHECK(check(learner("no-such-thing", 4), 20).error().message.find("must be one of") != std::string::npos);
  CHECK_FALSE(check(learner("aerr", 30), 20).has_value());
  CHECK(check(learner("ddaerr", 4), 20).has_value());
}

TEST_CASE("evaluation: loss over the zero predictor's, and wrong signs where labels are signs") {
  const DenseSet set{1, {1, 2, -1, 1}, {1, 1, -1, -1}};
  const Evaluation e = evaluate(Model{{0.5}, 0}, set);
  CHECK(e.loss_ratio == doctest::Approx((0.25 + 0 + 0.25 + 2.25) / 4));
  CHECK(e.classification_error == doctest::Approx(0.25));
  CHECK(evaluate(Model{{0.0}, 0}, set).loss_ratio == doctest::Approx(1));
  const DenseSet regression{1, {1, 2}, {3, 4}};
  CHECK(std::isnan(evaluate(Model{{0.0}, 0}, regression).classification_error));
  CHECK(std::isinf(evaluate(Model{{1e200}, 0}, regression).loss_ratio));
}

}  // namespace method_test
