#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"
#include "learn/pairwise_solver.h"

using namespace glimpse;

namespace {

// Attributes of variance 1: each its own, or a common factor's share of `common` in all. The label is the
// factor and as much noise again, or noise of variance 1 alone.
struct Case {
  std::size_t dimension;
  std::size_t budget;
  int examples;
  double common = 0;
  bool signal = false;
};

double uniform_of_variance_one(Random& random) { return std::sqrt(12.0) * (random.uniform() - 0.5); }

PairSnapshot learn(const Case& c, std::uint64_t seed) {
  Random random(seed);
  PairMoments moments(c.dimension);
  std::vector<double> x(c.dimension);
  for (int e = 0; e < c.examples; ++e) {
    const double factor = uniform_of_variance_one(random);
    for (double& value : x)
      value = std::sqrt(c.common) * factor + std::sqrt(1 - c.common) * uniform_of_variance_one(random);
    const double noise = uniform_of_variance_one(random);
    std::vector<Attribute> seen;
    std::vector<double> values;
    std::size_t left = c.budget;
    for (std::size_t i = 0; i < c.dimension; ++i) {
      if (random.below(c.dimension - i) >= left) continue;
      --left;
      seen.push_back(static_cast<Attribute>(i));
      values.push_back(x[i]);
    }
    moments.add(seen, values, c.signal ? factor + noise : noise, 1);
  }
  PairSnapshot snapshot;
  snapshot.take(moments, true);
  return snapshot;
}

// The expected squared error over that of the mean label so far, for labels of noise: 1 + E(prediction²).
double over_mean(const Case& c, const Model& model, double mean) {
  double centre = model.bias;
  double variance = 0;
  double sum = 0;
  for (const double w : model.weights) {
    variance += (1 - c.common) * w * w;
    sum += w;
  }
  variance += c.common * sum * sum;
  return (1 + centre * centre + variance) / (1 + mean * mean);
}

struct Harm {
  double mean = 0;
  double worst = 0;
};

Harm harm_without_signal(const Case& c, int streams) {
  PairwiseSolver solver;
  Model model;
  Harm harm;
  for (int s = 0; s < streams; ++s) {
    const PairSnapshot moments = learn(c, static_cast<std::uint64_t>(1000 + s));
    solver.solve(moments, {}, model);
    const double ratio = over_mean(c, model, moments.label().mean());
    harm.mean += ratio / streams;
    harm.worst = std::max(harm.worst, ratio);
  }
  return harm;
}

double share(const Case& c, int streams) {
  PairwiseSolver solver;
  Model model;
  double sum = 0;
  for (int s = 0; s < streams; ++s)
    sum += solver.solve(learn(c, static_cast<std::uint64_t>(2000 + s)), {}, model).shrink / streams;
  return sum;
}

}  // namespace

TEST_CASE("labels of noise do not become a model, whatever the width and K") {
  for (const Case& c :
       {Case{8, 5, 50}, Case{8, 8, 100}, Case{32, 5, 50}, Case{32, 20, 50}, Case{32, 20, 100},
        Case{32, 32, 50}, Case{32, 32, 100}, Case{32, 32, 200}, Case{32, 20, 100, 0.5}, Case{200, 20, 50},
        Case{200, 200, 50}, Case{200, 200, 100}, Case{200, 20, 100, 0.5}}) {
    CAPTURE(c.dimension);
    CAPTURE(c.budget);
    CAPTURE(c.examples);
    const Harm harm = harm_without_signal(c, 40);
    CHECK(harm.mean < 1.02);
  }
}

TEST_CASE("a dozen examples are no evidence without a signal") {
  for (const int examples : {2, 3, 5, 8, 12}) {
    for (const Case& c : {Case{8, 8, examples}, Case{32, 2, examples}, Case{32, 20, examples}}) {
      const Harm harm = harm_without_signal(c, 40);
      CAPTURE(c.dimension);
      CAPTURE(c.budget);
      CAPTURE(examples);
      CHECK(harm.mean < 1.002);
      CHECK(harm.worst < 1.02);
    }
  }
}

TEST_CASE("a signal in many attributes opens early, where few of them are looked at as well") {
  for (const Case& c :
       {Case{300, 5, 100, 0.3, true}, Case{300, 20, 50, 0.3, true}, Case{300, 20, 100, 0.3, true},
        Case{300, 300, 50, 0.3, true}, Case{32, 5, 100, 0.3, true}, Case{32, 32, 50, 0.3, true}}) {
    CAPTURE(c.dimension);
    CAPTURE(c.budget);
    CAPTURE(c.examples);
    CHECK(share(c, 20) > 0.6);
    CHECK(share({c.dimension, c.budget, c.examples, c.common, false}, 20) < 0.2);
  }
}
