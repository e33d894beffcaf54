#include "learn/inference/incomplete_example.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <numbers>
#include <numeric>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace incomplete_example_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Attribute 1 is attribute 0 and a little noise; the label is their sum.
std::vector<double> next_example(Random& random, double& label) {
  const double x = 2 * random.uniform() - 1;
  std::vector<double> values{x, x + 0.1 * random.uniform(), random.uniform()};
  label = values[0] + values[1];
  return values;
}

std::unique_ptr<Learner> learned(const std::string& algorithm, int examples) {
  auto learner = make_learner(options_of(algorithm, 3, 3)).value();
  Random random(1);
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    double label = 0;
    const auto x = next_example(random, label);
    learner->plan(random, plan);
    learner->learn(plan, reveal(plan, x), label, 1);
  }
  return learner;
}

}  // namespace

TEST_CASE("a missing value is told from those given, and its standard error is of the errors made") {
  const auto learner = learned("pairwise", 3000);
  const auto basis = prediction_basis(*learner);
  IncompleteExamples incomplete;
  Random random(2);
  double squares = 0;
  double by_means = 0;
  double claimed = 0;
  constexpr int kExamples = 300;
  for (int t = 0; t < kExamples; ++t) {
    double label = 0;
    const auto x = next_example(random, label);
    const std::vector<Entry> entries{{2, x[2]}, {0, x[0]}, {1, kMissing}};
    REQUIRE(IncompleteExamples::conditions(*learner, entries));
    const auto answer = incomplete.predict(*learner, entries, basis);
    squares += std::pow(answer.prediction - label, 2) / kExamples;
    claimed += std::pow(answer.standard_error, 2) / kExamples;
    by_means += std::pow(learner->predict(entries) - label, 2) / kExamples;
  }
  CHECK(squares < 0.05 * by_means);
  CHECK(squares < 2 * claimed);
  CHECK(claimed < 0.2 * by_means);
}

TEST_CASE("a prediction from the same known attributes again is to the bit that of a first time") {
  const auto learner = learned("pairwise", 500);
  IncompleteExamples incomplete;  // which serves all of these, as their order is changed
  Random random(3);
  Plan plan;
  for (int t = 0; t < 200; ++t) {
    double label = 0;
    auto x = next_example(random, label);
    const auto basis = prediction_basis(*learner);
    std::vector<Entry> entries;
    const auto missing = static_cast<unsigned>(8 * random.uniform());  // none to all
    for (Attribute i = 0; i < 3; ++i) entries.push_back({i, (missing >> i & 1U) != 0 ? kMissing : x[i]});
    if (t % 17 == 0) entries[0].value = std::numeric_limits<double>::infinity();
    const auto again = incomplete.predict(*learner, entries, basis);
    const auto first = IncompleteExamples().predict(*learner, entries, basis);
    CHECK(again.prediction == first.prediction);
    CHECK(again.standard_error == first.standard_error);
    const Explanation told = incomplete.explain(*learner, entries, basis, 3);
    CHECK(told.unknown == IncompleteExamples().explain(*learner, entries, basis, 3).unknown);
    CHECK(told.unknown_variance ==
          IncompleteExamples().explain(*learner, entries, basis, 3).unknown_variance);
    if (t % 40 != 39) continue;  // moments change
    learner->plan(random, plan);
    learner->learn(plan, reveal(plan, x), label, 1);
  }
}

TEST_CASE("learners that know nothing of pairs put means in the place of what is missing") {
  const auto learner = learned("aerr", 100);
  const std::vector<Entry> entries{{0, 0.5}, {1, kMissing}, {2, 0.25}};
  CHECK_FALSE(IncompleteExamples::conditions(*learner, entries));
  IncompleteExamples incomplete;
  CHECK(incomplete.predict(*learner, entries, prediction_basis(*learner)).prediction ==
        doctest::Approx(learner->predict(entries)));
}

TEST_CASE("before the first example no error is claimed") {
  for (const char* algorithm : {"pairwise", "pairwise-screened", "aerr", "online-ridge"}) {
    CAPTURE(algorithm);
    const auto learner = learned(algorithm, 0);
    const auto basis = prediction_basis(*learner);
    const std::vector<Entry> entries{{0, 0.5}, {1, kMissing}, {2, kMissing}};
    const auto answer = IncompleteExamples().predict(*learner, entries, basis);
    CHECK(answer.prediction == 0);
    CHECK(std::isnan(answer.standard_error));
    CHECK(std::isnan(IncompleteExamples::standard_error_of_complete(*learner, *basis)));
  }
}

TEST_CASE(
    "nine labels of ten are within 1.645 standard errors also where examples are few beside attributes") {
  constexpr std::size_t kAttributes = 20;
  constexpr int kTables = 300;
  constexpr int kAsked = 40;
  Random random(3);
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * std::numbers::pi * random.uniform());
  };
  int inside = 0;
  for (int table = 0; table < kTables; ++table) {
    LearnerOptions options;
    options.algorithm = "pairwise";
    options.dimension = options.budget = kAttributes;
    const auto learner = make_learner(options).value();
    std::vector<double> x(kAttributes);
    std::vector<double> w(kAttributes);
    for (double& weight : w) weight = normal() / std::sqrt(double{kAttributes});
    const auto next = [&] {
      for (double& value : x) value = normal();
      return std::inner_product(x.begin(), x.end(), w.begin(), normal());
    };
    Plan plan;
    for (int t = 0; t < 30; ++t) {
      const double label = next();
      learner->plan(random, plan);
      learner->learn(plan, reveal(plan, x), label, 1);
    }
    const double error =
        IncompleteExamples::standard_error_of_complete(*learner, *prediction_basis(*learner));
    for (int t = 0; t < kAsked; ++t) {
      const double label = next();
      std::vector<Entry> entries;
      for (Attribute i = 0; i < kAttributes; ++i) entries.push_back({i, x[i]});
      inside += std::abs(learner->predict(entries) - label) <= 1.645 * error ? 1 : 0;
    }
  }
  CHECK(inside / double{kTables * kAsked} ==
        doctest::Approx(0.9).epsilon(0.02));  // 0.83 of the solution's word
}

}  // namespace incomplete_example_test
