#include <cmath>
#include <cstdio>
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <vector>

#include "gen/simulated_set.h"
#include "learn/core/learner.h"
#include "learn/factory.h"

namespace progressive_accuracy_test {

using namespace glimpse;

namespace {

struct Set {
  const char* name;
  SimulatedKind kind;
  double alpha;
  double noise;
  std::size_t dimension;
  std::size_t budget;
};
constexpr Set kSets[] = {
    {"ridge, few attributes", SimulatedKind::kRidge, -1, 0, 40, 5},
    {"ridge, rare attributes", SimulatedKind::kRidge, -2, 0, 200, 5},
    {"ridge, many looks", SimulatedKind::kRidge, -1, 0.3, 200, 20},
    {"lasso", SimulatedKind::kLasso, -1, 0, 100, 10},
    {"more noise than signal", SimulatedKind::kRidge, -1, 1, 100, 10},
};

constexpr std::uint64_t kExamples = 20000;
constexpr std::uint64_t kHeldOut = 10;  // one in so many is not learned from

struct Losses {
  ProgressiveLoss::Part progressive;
  ProgressiveLoss::Part held_out;
};

// Both over the whole stream: of the same models, on other examples.
Losses losses_of(const Set& set, std::uint64_t seed) {
  SimulatedOptions simulated{
      .kind = set.kind, .alpha = set.alpha, .dimension = set.dimension, .noise = set.noise, .seed = seed};
  SimulatedSet stream(simulated);
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = set.dimension;
  options.budget = set.budget;
  options.bias = true;
  const auto learner = make_learner(options).value();
  Random random(seed);
  Plan plan;
  ProgressiveLoss held_out;
  std::vector<double> x(set.dimension);
  std::vector<double> values;
  std::vector<Entry> entries(set.dimension);
  for (std::uint64_t t = 0; t < kExamples; ++t) {
    const double label = stream.next(x);
    if (t % kHeldOut == 0) {
      for (Attribute i = 0; i < set.dimension; ++i) entries[i] = {i, x[i]};
      const double error = learner->predict_as_judged(entries) - label;
      held_out.add(error * error);
      continue;
    }
    learner->plan(random, plan);
    values.clear();
    for (const Attribute i : plan.attributes) values.push_back(x[i]);
    learner->learn(plan, values, label, 1);
  }
  return {learner->progressive_loss().total(), held_out.total()};
}

}  // namespace

TEST_CASE("the progressive loss is within two standard errors of the held-out loss in 19 of 20 runs") {
  int all = 0;
  int within = 0;
  for (const Set& set : kSets) {
    int of_set = 0;
    double squares = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto [progressive, held_out] = losses_of(set, seed);
      const double error = std::hypot(progressive.standard_error(), held_out.standard_error());
      const double deviations = (progressive.mean - held_out.mean) / error;
      squares += deviations * deviations;
      of_set += std::abs(deviations) <= 2 ? 1 : 0;
    }
    fmt::print("{}: {} of 20 within two standard errors; root mean square of the deviations {:.2f}\n",
               set.name, of_set, std::sqrt(squares / 20));
    CHECK(of_set >= 17);  // 19 are expected; fewer than 17 have a chance of 1.6 %
    within += of_set;
    all += 20;
  }
  CHECK(within * 20 >= all * 19 - 20);
}

}  // namespace progressive_accuracy_test
