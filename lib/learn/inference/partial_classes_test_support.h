#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "learn/classes/class_scores.h"
#include "learn/classes/discriminants.h"
#include "learn/factory.h"
#include "learn/inference/conditioning.h"
#include "learn/inference/incomplete_example.h"
#include "learn/inference/known_features.h"
#include "learn/inference/partial_classes.h"
#include "learn/inference/partial_prediction.h"
#include "learn/learner_test_support.h"

// A stream of classes whose attributes share a factor, and what tests of PartialClasses do with it.

namespace glimpse::partial_classes_test {

inline constexpr std::size_t kDim = 12;
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline std::unique_ptr<Learner> classifier(const char* algorithm = "pairwise") {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDim;
  options.budget = 5;
  auto learner = make_learner(options, nullptr).value();
  learner->make_classifier();
  return learner;
}

// Attributes share a factor, which is not of the classes and hides them from each attribute alone.
struct Stream {
  explicit Stream(std::uint64_t seed, std::size_t classes = 4, double unit = 1)
      : random(seed), classes(classes), unit(unit) {}
  std::size_t next(std::vector<double>& x) {
    const auto noise = [&] { return random.uniform() + random.uniform() + random.uniform() - 1.5; };
    const std::size_t c = random.below(classes);
    const double factor = 1.5 * noise();
    x.resize(kDim);
    for (std::size_t i = 0; i < kDim; ++i)
      x[i] = unit * (3 + factor + 0.7 * noise() + (i % classes == c ? 0.8 : 0));
    return c;
  }
  Random random;
  std::size_t classes;
  double unit;
};

inline void learn(Learner& learner, Stream& stream, int examples) {
  Random random(1);
  Plan plan;
  std::vector<double> x;
  for (int n = 0; n < examples; ++n) {
    const auto c = static_cast<double>(stream.next(x));
    learner.plan(random, plan);
    learner.learn(plan, test::reveal(plan, x), c, 1);
  }
}

// Made known in their order, of a universe of these, and `others` behind them.
inline PartialClasses known_of(const Learner& learner, const std::shared_ptr<const Solution>& solution,
                               const std::vector<Attribute>& known, const std::vector<double>& x,
                               const std::vector<Attribute>& others = {}) {
  std::vector<Attribute> universe = known;
  universe.insert(universe.end(), others.begin(), others.end());
  std::vector<double> rows(known.size() * universe.size());
  learner.conditioning()->covariances(solution->moments, known, universe, rows);
  PartialClasses classes(solution, universe);
  for (std::size_t k = 0; k < known.size(); ++k)
    CHECK(classes.add_known(known[k], x[known[k]],
                            std::span<const double>(rows).subspan(k * universe.size(), universe.size())));
  return classes;
}

inline std::vector<double> scores_of(const PartialClasses& classes, std::size_t count) {
  std::vector<double> scores(count);
  classes.scores(scores);
  return scores;
}

inline std::vector<Attribute> all_attributes() {
  std::vector<Attribute> all(kDim);
  std::iota(all.begin(), all.end(), Attribute{0});
  return all;
}

inline std::vector<Entry> entries_of(const std::vector<double>& x) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < x.size(); ++i) entries.push_back({static_cast<Attribute>(i), x[i]});
  return entries;
}

inline void check_alike(const std::vector<double>& a, const std::vector<double>& b, double epsilon) {
  REQUIRE(a.size() == b.size());
  for (std::size_t c = 1; c < a.size(); ++c)
    CHECK(a[c] - a[0] == doctest::Approx(b[c] - b[0]).epsilon(epsilon));
}

// Solutions are made from copies whose covariances are floats, and rows come from the doubles: they differ by
// 2^-24, and the scores by that times the condition of Σ, some hundreds here.
inline constexpr double kOfFloats = 1e-4;

}  // namespace glimpse::partial_classes_test
