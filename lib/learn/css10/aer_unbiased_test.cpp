#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <span>
#include <vector>

#include "learn/css10/css10_test_support.h"
#include "learn/factory.h"

namespace aer_unbiased_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 9;
constexpr double kLabel = 0.7;

// Of an example that is not of the learning stream: the estimators are unbiased for any.
std::vector<double> example() {
  std::vector<double> x(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i)
    x[i] = 0.3 + 0.15 * static_cast<double>(i) * (i % 2 == 0 ? 1 : -1);
  return x;
}

std::unique_ptr<Learner> learned(std::size_t budget, Split split, std::uint64_t seed, Random& random) {
  LearnerOptions options = css10_options("aer", kDimension, budget, 2);
  options.split = split;
  options.bias = true;
  options.step_number = 0.5;
  auto learner = make_learner(options).value();
  Source source(kDimension, seed);
  learn_from(*learner, random, source, 300);
  return learner;
}

// Of v, then the gradient, then ŷ: from one plan.
void estimate_from(const Plan& plan, std::span<const double> x, std::span<double> estimate) {
  double prediction = plan.offset;
  for (const Draw& draw : plan.inner_product)
    prediction += draw.coefficient * x[plan.attributes[draw.position]];
  std::ranges::fill(estimate, 0.0);
  for (const Draw& draw : plan.data_point) {
    const Attribute i = plan.attributes[draw.position];
    REQUIRE(estimate[i] == 0);  // without replacement
    estimate[i] = draw.coefficient * x[i];
    estimate[kDimension + i] = (prediction - kLabel) * estimate[i];
  }
  estimate[2 * kDimension] = prediction;
}

// What estimate_from() estimates.
std::vector<double> truth_of(const Learner& learner, std::span<const double> x) {
  const std::vector<double> w = aer_iterate(learner);
  REQUIRE(std::count(w.begin(), w.begin() + kDimension, 0.0) < 8);
  double product = w[kDimension];
  for (std::size_t i = 0; i < kDimension; ++i) product += w[i] * x[i];
  std::vector<double> truth(x.begin(), x.end());
  for (const double value : x) truth.push_back((product - kLabel) * value);
  truth.push_back(product);
  return truth;
}

}  // namespace

// 4 standard errors, fixed seeds.
TEST_CASE("the means of aer's v, ŷ and gradient are x, ⟨w, x⟩ and their product, for both splits" *
          doctest::test_suite("repeats")) {
  constexpr int kPlans = 1000000;
  const std::vector<double> x = example();
  std::uint64_t seed = 10;
  for (const std::size_t budget : {5UL, 8UL}) {
    for (const Split split : {Split::kEven, Split::kPaper}) {
      Random random(++seed);
      const auto learner = learned(budget, split, seed, random);
      const std::vector<double> truth = truth_of(*learner, x);
      std::vector<double> sums(truth.size());
      std::vector<double> squares(truth.size());
      std::vector<double> estimate(truth.size());
      Plan plan;
      for (int n = 0; n < kPlans; ++n) {
        learner->plan(random, plan);
        REQUIRE(plan.attributes.size() <= budget);
        estimate_from(plan, x, estimate);
        for (std::size_t i = 0; i < estimate.size(); ++i) {
          sums[i] += estimate[i];
          squares[i] += estimate[i] * estimate[i];
        }
      }
      CAPTURE(budget);
      CAPTURE(static_cast<int>(split));
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const double mean = sums[i] / kPlans;
        const double error = std::sqrt((squares[i] / kPlans - mean * mean) / kPlans);
        REQUIRE(error > 0);
        CHECK(std::abs(mean - truth[i]) < 4 * error);
      }
    }
  }
}

TEST_CASE("aer's progressive loss is the squared error of its iterates") {
  constexpr int kExamples = 20000;
  LearnerOptions options = css10_options("aer", 10, 6, 3);
  options.bias = true;
  options.step_number = 2;
  auto learner = make_learner(options).value();
  Random random(4);
  Source source(10, 5);
  Plan plan;
  double truth = 0;
  for (int t = 0; t < kExamples; ++t) {
    const std::vector<double>& x = source.next();
    const std::vector<double> w = aer_iterate(*learner);
    double error = w[10] - source.label();
    for (std::size_t i = 0; i < 10; ++i) error += w[i] * x[i];
    truth += error * error / kExamples;
    learner->plan(random, plan);
    learner->learn(plan, reveal(plan, x), source.label(), 1);
  }
  const ProgressiveLoss::Part& loss = learner->progressive_loss().total();
  CHECK(loss.count == kExamples);
  CHECK(std::abs(loss.mean - truth) < 4 * loss.standard_error());
  CHECK(loss.standard_error() < 0.1 * truth);
}

}  // namespace aer_unbiased_test
