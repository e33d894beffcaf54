#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "learn/factory.h"
#include "learn/turning_stream_test_support.h"

namespace progressive_partial_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<Learner> made(const char* algorithm, std::size_t budget) {
  LearnerOptions options = options_of(algorithm, kDimension, budget);
  options.bias = true;
  if (options.algorithm == "pairwise-screened") options.active = 14;
  return make_learner(options).value();
}

// What an example lacks: nothing to do with the plan, but with the values.
void lose_values(std::vector<double>& x, Random& random, double share) {
  for (double& value : x)
    if (random.uniform() < (value > 0 ? share * 1.5 : share / 2)) value = kMissing;
}

}  // namespace

TEST_CASE("the progressive loss of an example with missing values is that of the means in their place") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    for (const auto& [budget, share] : {std::pair<std::size_t, double>{2, 0.5}, {5, 0.3}, {20, 0.3}}) {
      CAPTURE(std::string(algorithm));
      CAPTURE(budget);
      auto learner = made(algorithm, budget);
      Random random(1);
      Random lost(3);
      TurningStream stream(2);
      Plan plan;
      const auto example = [&] {
        std::vector<double> x = stream.next(1);
        lose_values(x, lost, share);
        learner->plan(random, plan);
        learner->learn(plan, reveal(plan, x), stream.label, 1);
        return x;
      };
      while (learner->counts().examples < 4096) example();
      Model model;
      learner->model(model);  // what judges until the next power of two
      std::vector<double> mean;
      for (Attribute i = 0; i < kDimension; ++i) mean.push_back(learner->sampling_row(i).moment.mean);
      const auto before = learner->progressive_loss().total();
      double truth = 0;
      for (int t = 0; t < 4000; ++t) {
        const std::vector<double> x = example();
        double prediction = model.bias;
        for (std::size_t i = 0; i < kDimension; ++i)
          prediction += model.weights[i] * (std::isnan(x[i]) ? mean[i] : x[i]);
        truth += (prediction - stream.label) * (prediction - stream.label) / 4000;
      }
      const auto loss = learner->progressive_loss().total().since(before);
      CHECK(loss.count == 4000);  // those of whose plan nothing was there among them
      if (budget == 2) CHECK(learner->counts().missing > 500);
      CHECK(std::abs(loss.mean - truth) <= 4 * loss.standard_error() + 1e-9);
    }
  }
}

TEST_CASE("an example of importance 0, or of one too tiny to count, is not judged, whatever is missing") {
  auto learner = made("pairwise", 3);
  Random random(1);
  Plan plan;
  learner->plan(random, plan);
  for (const double importance : {0.0, 1e-300}) {
    learner->learn(plan, std::vector<double>{kMissing, kMissing, kMissing}, 1, importance);
    CHECK(learner->progressive_loss().total().count == 0);
  }
  learner->learn(plan, std::vector<double>{kMissing, kMissing, kMissing}, 1, 1);
  CHECK(learner->progressive_loss().total().count == 1);
  CHECK(learner->counts().examples == 0);
}

TEST_CASE("learners that need every planned value judge the examples that have them") {
  LearnerOptions options = options_of("two-phase-ddaerr", kDimension, 4);
  auto learner = make_learner(options).value();
  Random random(1);
  Plan plan;
  learner->plan(random, plan);
  std::vector<double> values(plan.attributes.size(), 1.0);
  values[0] = kMissing;
  CHECK(learner->learn(plan, values, 1, 1) == Outcome::kMissing);
  CHECK(learner->progressive_loss().total().count == 0);
}

}  // namespace progressive_partial_test
