#pragma once

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "learn/learner_test_support.h"

namespace glimpse::test {

inline constexpr std::size_t kDimension = 20;

// Attributes ±1 that share a common sign now and then; the label is their sum over the even ones plus noise,
// times `sign`.
struct TurningStream {
  explicit TurningStream(std::uint64_t seed) : random(seed) {}

  std::vector<double> next(double sign) {
    const double common = random.uniform() - 0.5;
    std::vector<double> x(kDimension);
    label = 0;
    for (std::size_t i = 0; i < kDimension; ++i) {
      x[i] = random.uniform() < 0.5 + common / 2 ? 1 : -1;
      if (i % 2 == 0) label += sign * x[i];
    }
    label += 2 * (random.uniform() - 0.5);
    return x;
  }

  Random random;
  double label = 0;
};

// Of a learner of it, with the step that needs no tuning.
inline LearnerOptions turning_options(const std::string& algorithm) {
  LearnerOptions options = options_of(algorithm, kDimension, 10);
  options.step = StepKind::kAuto;
  options.bias = true;
  return options;
}

inline double squared_error(const Learner& learner, const std::vector<double>& x, double label) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < x.size(); ++i) entries.push_back({static_cast<Attribute>(i), x[i]});
  const double error = learner.predict(entries) - label;
  return error * error;
}

// Mean squared error of the present model over 2,000 examples that are not learned from.
inline double held_out(const Learner& learner, double sign) {
  TurningStream stream(99);
  double sum = 0;
  for (int t = 0; t < 2000; ++t) {
    const auto x = stream.next(sign);
    sum += squared_error(learner, x, stream.label) / 2000;
  }
  return sum;
}

inline void learn(Learner& learner, Random& random, TurningStream& stream, double sign, int examples) {
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    const auto x = stream.next(sign);
    learner.plan(random, plan);
    REQUIRE(learner.learn(plan, reveal(plan, x), stream.label, 1) == Outcome::kLearned);
  }
}

}  // namespace glimpse::test
