#include <doctest/doctest.h>

#include "learn/css10/css10_test_support.h"
#include "learn/factory.h"

using namespace glimpse;
using namespace glimpse::test;

// 4 standard errors, fixed seeds. x and y are not of the learning stream: the estimators are unbiased for any
// example.
TEST_CASE("the means of aer's v, ŷ and gradient are x, ⟨w, x⟩ and their product, for both splits" *
          doctest::test_suite("repeats")) {
  constexpr std::size_t kDimension = 9;
  constexpr int kPlans = 1000000;
  constexpr double kLabel = 0.7;
  std::vector<double> x(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i)
    x[i] = 0.3 + 0.15 * static_cast<double>(i) * (i % 2 == 0 ? 1 : -1);

  std::uint64_t seed = 10;
  for (const std::size_t budget : {5UL, 8UL}) {
    for (const Split split : {Split::kEven, Split::kPaper}) {
      LearnerOptions options = css10_options("aer", kDimension, budget, 2);
      options.split = split;
      options.bias = true;
      options.step_number = 0.5;
      auto learner = make_learner(options).value();
      Random random(++seed);
      Source source(kDimension, seed);
      learn_from(*learner, random, source, 300);
      const std::vector<double> w = aer_iterate(*learner);
      double product = w[kDimension];
      int zeros = 0;
      for (std::size_t i = 0; i < kDimension; ++i) {
        product += w[i] * x[i];
        zeros += w[i] == 0 ? 1 : 0;
      }
      REQUIRE(zeros < 8);

      std::vector<double> sums(2 * kDimension + 1);
      std::vector<double> squares(2 * kDimension + 1);
      std::vector<double> estimate(2 * kDimension + 1);
      Plan plan;
      for (int n = 0; n < kPlans; ++n) {
        learner->plan(random, plan);
        REQUIRE(plan.attributes.size() <= budget);
        double prediction = plan.offset;
        for (const Draw& draw : plan.inner_product)
          prediction += draw.coefficient * x[plan.attributes[draw.position]];
        std::fill(estimate.begin(), estimate.end(), 0.0);
        for (const Draw& draw : plan.data_point) {
          const Attribute i = plan.attributes[draw.position];
          REQUIRE(estimate[i] == 0);  // without replacement
          estimate[i] = draw.coefficient * x[i];
          estimate[kDimension + i] = (prediction - kLabel) * estimate[i];
        }
        estimate[2 * kDimension] = prediction;
        for (std::size_t i = 0; i < estimate.size(); ++i) {
          sums[i] += estimate[i];
          squares[i] += estimate[i] * estimate[i];
        }
      }
      CAPTURE(budget);
      CAPTURE(static_cast<int>(split));
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const double truth = i < kDimension       ? x[i]
                             : i < 2 * kDimension ? (product - kLabel) * x[i - kDimension]
                                                  : product;
        const double mean = sums[i] / kPlans;
        const double error = std::sqrt((squares[i] / kPlans - mean * mean) / kPlans);
        REQUIRE(error > 0);
        CHECK(std::abs(mean - truth) < 4 * error);
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
