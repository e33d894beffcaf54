#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "learn/covariance/attribute_units.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"
#include "learn/solver/pairwise_solver.h"

namespace few_factors_test {

// A few factors behind many attributes, of which hardly any pair was seen: the weights must not be too long.

using namespace glimpse;
using namespace glimpse::test;

namespace {

double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * M_PI * random.uniform());
}

// x = Λf + e, Λf and e of variance 1; y the mean of the factors, and noise of a tenth of its variance.
class Factors {
 public:
  Factors(std::size_t dimension, std::size_t factors, std::uint64_t seed)
      : x(dimension), random_(seed), loadings_(dimension * factors), factors_(factors) {
    for (double& loading : loadings_) loading = normal(random_) / std::sqrt(static_cast<double>(factors));
  }

  void next() {
    for (double& factor : factors_) factor = normal(random_);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = normal(random_);
      for (std::size_t f = 0; f < factors_.size(); ++f)
        x[i] += loadings_[i * factors_.size() + f] * factors_[f];
    }
    const double sum = std::accumulate(factors_.begin(), factors_.end(), 0.0);
    label = sum * std::sqrt(0.9 / static_cast<double>(factors_.size())) + std::sqrt(0.1) * normal(random_);
  }

  std::vector<double> x;
  double label = 0;

 private:
  Random random_;
  std::vector<double> loadings_;
  std::vector<double> factors_;
};

struct Case {
  std::size_t factors;
  std::size_t budget;
  int examples;
  double most;  // loss over the mean's
};

// The squared error of the model, with no bound on what it says, over that of the labels' mean.
double loss_of(const Case& c, std::uint64_t seed) {
  constexpr std::size_t kDimension = 300;
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = kDimension;
  options.budget = c.budget;
  options.bias = true;
  const auto learner = make_learner(options);
  REQUIRE(learner.has_value());
  Factors factors(kDimension, c.factors, seed);
  Random random(seed);
  Plan plan;
  for (int t = 0; t < c.examples; ++t) {
    factors.next();
    (*learner)->plan(random, plan);
    (*learner)->learn(plan, reveal(plan, factors.x), factors.label, 1);
  }
  Model model;
  (*learner)->model(model);
  double error = 0;
  double square = 0;
  for (int t = 0; t < 500; ++t) {
    factors.next();
    double prediction = model.bias;
    for (std::size_t i = 0; i < kDimension; ++i) prediction += model.weights[i] * factors.x[i];
    error += (prediction - factors.label) * (prediction - factors.label);
    square += factors.label * factors.label;
  }
  return error / square;
}

// L of PairwiseSolver, in the plainest way.
double plain_length(const PairSnapshot& moments, const std::vector<double>& weights, double ridge) {
  const std::size_t d = moments.dimension();
  const std::vector<double> units = balanced_units(moments.attributes()).units;
  std::vector<double> v(d);
  double squares = 0;
  double counts = 0;
  for (std::size_t i = 0; i < d; ++i) {
    squares += moments[i].weight() * moments[i].variance() / (units[i] * units[i]);
    counts += moments[i].weight();
  }
  for (std::size_t i = 0; i < d; ++i)
    v[i] = (moments[i].weight() * moments[i].variance() / (units[i] * units[i]) + squares / counts / 2) /
           (moments[i].weight() + 0.5);
  const auto count = [&](std::size_t i, std::size_t j) {
    return i == j ? 0 : moments.weight(std::min(i, j), std::max(i, j));
  };
  std::vector<double> pairs(d);
  std::vector<double> among(d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      pairs[i] += count(i, j);
      among[i] += v[j] * count(i, j) / (count(i, j) + 1);
    }
  const double all = std::accumulate(pairs.begin(), pairs.end(), 0.0);
  double length = 0;
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double n = moments[i].weight();
    const double g = v[i] / (v[i] + ridge + among[i] / n) / (n + 1);
    first += g;
    second += g * (n - 1) / (n + 1);
    length += weights[i] * weights[i] * v[i];
    for (std::size_t j = 0; j < d; ++j)
      if (count(i, j) > 0)
        length += weights[i] * weights[j] * moments.co_moment(std::min(i, j), std::max(i, j)) /
                  (units[i] * units[j]) * all / (pairs[i] * pairs[j]) *
                  std::sqrt((1 - pairs[i] / all) * (1 - pairs[j] / all));
  }
  return length - first * second * moments.label().variance();
}

PairSnapshot learn_pairs(Factors& factors, std::size_t budget, int examples) {
  const std::size_t d = factors.x.size();
  PairMoments moments(d);
  Random random(3);
  for (int t = 0; t < examples; ++t) {
    factors.next();
    std::vector<Attribute> seen;
    std::vector<double> values;
    for (std::size_t i = 0; i < d; ++i)
      if (random.uniform() * static_cast<double>(d) < static_cast<double>(budget)) {
        seen.push_back(static_cast<Attribute>(i));
        values.push_back(factors.x[i]);
      }
    moments.add(seen, values, factors.label, 1);
  }
  PairSnapshot snapshot;
  snapshot.take(moments, true);
  return snapshot;
}

}  // namespace

TEST_CASE("weights are shortened to what pairs that were seen together allow") {
  constexpr std::size_t kDimension = 150;
  Factors factors(kDimension, 1, 5);
  const PairSnapshot moments = learn_pairs(factors, 3, 2000);
  PairwiseSolver solver;
  Model free;
  solver.set_trial(1, true);
  solver.solve(moments, {}, free);
  Model model;
  solver.set_trial(1, false);
  const PairwiseChoice choice = solver.solve(moments, {}, model);
  const std::vector<double> units = balanced_units(moments.attributes()).units;
  std::vector<double> weights(kDimension);
  double explained = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = free.weights[i] * units[i];
    explained += free.weights[i] * (moments.label_co_moment(i, 0) + moments.label_co_moment(i, 1)) /
                 (moments[i].weight() + 1);
  }
  const double length = plain_length(moments, weights, choice.ridge);
  REQUIRE(length > 1.2 * explained);
  CHECK(choice.shrink == doctest::Approx(explained / length).epsilon(1e-5));
  CHECK(model.weights[7] == doctest::Approx(choice.shrink * free.weights[7]));
}

TEST_CASE("whole examples leave no noise of the covariances to guard against, and no weight is shortened") {
  Factors factors(40, 1, 5);
  const PairSnapshot whole = learn_pairs(factors, 40, 4000);
  PairwiseSolver solver;
  Model model;
  const PairwiseChoice choice = solver.solve(whole, {}, model);
  CHECK(choice.shrink == 1);
  CHECK(choice.ridge < 0.1);  // of the attributes' variances
  CHECK(choice.ridge > 0);
}

TEST_SUITE("repeats") {
  TEST_CASE("a few factors behind three hundred attributes do no harm, however few are looked at") {
    // Without the bound: 80 and 24 with one factor and K = 2, 1.5 with three and K = 5, 1,000 examples.
    for (const Case& c : {Case{1, 2, 200, 1.0},
                          {1, 2, 1000, 0.3},
                          {1, 2, 5000, 0.15},
                          {1, 5, 1000, 0.15},
                          {3, 2, 200, 1.0},
                          {3, 2, 1000, 0.9},
                          {3, 5, 1000, 0.25},
                          {3, 5, 5000, 0.2},
                          {10, 5, 200, 1.02},
                          {10, 20, 1000, 0.4}}) {
      double sum = 0;
      constexpr std::uint64_t kSeeds = 6;
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) sum += loss_of(c, seed);
      INFO(c.factors, " factors, K = ", c.budget, ", ", c.examples, " examples");
      CHECK(sum / kSeeds <= c.most);
    }
  }
}

}  // namespace few_factors_test
