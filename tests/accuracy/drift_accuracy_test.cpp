#include <doctest/doctest.h>
#include <fmt/core.h>
#include <vector>

#include "gen/simulated_set.h"
#include "learn/core/learner.h"
#include "learn/factory.h"

namespace drift_accuracy_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 500;
constexpr std::uint64_t kFlip = 20000;

SimulatedSet stream(double alpha, std::uint64_t seed, std::uint64_t flip_at) {
  SimulatedOptions options;
  options.alpha = alpha;
  options.dimension = kDimension;
  options.seed = seed;
  options.flip_at = flip_at;
  return SimulatedSet(options);
}

std::unique_ptr<Learner> watchful(const char* algorithm, std::size_t budget) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDimension;
  options.budget = budget;
  options.drift = Drift::kAuto;
  return make_learner(options).value();
}

void learn(Learner& learner, Random& random, SimulatedSet& set, std::uint64_t examples) {
  Plan plan;
  std::vector<double> x(kDimension);
  std::vector<double> values;
  for (std::uint64_t t = 0; t < examples; ++t) {
    const double label = set.next(x);
    learner.plan(random, plan);
    values.clear();
    for (const Attribute i : plan.attributes) values.push_back(x[i]);
    learner.learn(plan, values, label, 1);
  }
}

// Mean squared error over the zero predictor's on 2,000 examples far behind, whose weights are turned or not.
double loss(const Learner& learner, SimulatedSet set, bool turned) {
  set.seek(100'000'000);  // behind the flip, where there is one
  Model model;
  learner.model(model);
  std::vector<double> x(kDimension);
  double sum = 0;
  double zero = 0;
  for (int t = 0; t < 2000; ++t) {
    const double label = turned ? -set.next(x) : set.next(x);
    double error = model.bias - label;
    for (std::size_t i = 0; i < kDimension; ++i) error += model.weights[i] * x[i];
    sum += error * error;
    zero += label * label;
  }
  return sum / zero;
}

}  // namespace

TEST_CASE(
    "after all weights turned round the loss is back as fast as a fresh learner's, half as much again") {
  constexpr std::uint64_t kStep = 250;
  struct Case {
    const char* algorithm;
    double alpha;
    std::size_t budget;
  };
  for (const auto& [algorithm, alpha, budget] :
       {Case{"pairwise", -1, 20}, Case{"pairwise", -2, 5}, Case{"two-phase-ddaerr", -2, 20}}) {
    std::uint64_t all_needed = 0;
    std::uint64_t all_taken = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      CAPTURE(algorithm);
      CAPTURE(seed);
      SimulatedSet set = stream(alpha, seed, kFlip);
      const SimulatedSet still = stream(alpha, seed, 0);
      auto learner = watchful(algorithm, budget);
      Random random(seed);
      learn(*learner, random, set, kFlip);
      CHECK(learner->drift().alarms == 0);
      const double level = loss(*learner, still, false);

      auto fresh = watchful(algorithm, budget);
      Random other(seed + 100);
      SimulatedSet more = still;
      more.seek(1'000'000);
      std::uint64_t needed = 0;
      while (needed == 0 || loss(*fresh, still, false) > 1.2 * level) {
        learn(*fresh, other, more, kStep);
        needed += kStep;
      }
      std::uint64_t taken = 0;
      while (taken == 0 || loss(*learner, still, true) > 1.2 * level) {
        REQUIRE(taken < 5 * needed);
        learn(*learner, random, set, kStep);
        taken += kStep;
      }
      fmt::print(
          "{}, alpha = {}, K = {}, seed {}: loss {:.3f}; a fresh learner needs {} examples, after the flip "
          "{}, noticed after {}\n",
          algorithm, alpha, budget, seed, level, needed, taken, learner->drift().examples - kFlip);
      CHECK(learner->drift().alarms == 1);
      all_needed += needed;
      all_taken += taken;
    }
    CHECK(static_cast<double>(all_taken) <= 1.5 * static_cast<double>(all_needed));
  }
}

TEST_CASE("a stream that stays the same gives no alarm in a million examples, ten seeds") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    SimulatedSet set = stream(seed % 2 == 0 ? -1 : -2, seed, 0);
    auto learner = watchful("pairwise", seed % 3 == 0 ? 20 : 5);
    Random random(seed);
    learn(*learner, random, set, 1'000'000);
    CHECK(learner->drift().alarms == 0);
  }
}

}  // namespace drift_accuracy_test
