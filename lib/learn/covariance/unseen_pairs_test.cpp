#include "learn/covariance/unseen_pairs.h"

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"
#include "learn/solver/pairwise_solver.h"

namespace unseen_pairs_test {

using namespace glimpse;

namespace {

constexpr std::size_t kAttributes = 4;
using Example = std::array<double, kAttributes + 1>;  // and the label

// Mean 0 and variance 1.
double flat(Random& random) { return std::sqrt(12.0) * (random.uniform() - 0.5); }

// Attributes 0 and 1 have z and a part of their own, 2 is z, 3 is noise; the label is what it is told to be.
template <class Label>
Example example(Random& random, const Label& label) {
  const double z = flat(random);
  const double a = flat(random);
  const double b = flat(random);
  return {z + a, z + b, z, flat(random), label(z, a, b)};
}

// Each of the two sets is shown of every other example.
template <class Label>
PairSnapshot learn(int examples, std::vector<std::vector<Attribute>> sets, const Label& label) {
  PairMoments moments(kAttributes);
  Random random(1);
  for (int e = 0; e < examples; ++e) {
    const Example x = example(random, label);
    const auto& set = sets[static_cast<std::size_t>(e) % sets.size()];
    std::vector<double> values;
    for (const Attribute i : set) values.push_back(x[i]);
    moments.add(set, values, x[kAttributes], 1);
  }
  PairSnapshot snapshot;
  snapshot.take(moments, true);
  return snapshot;
}

// With the moments as the stream has them.
struct Found {
  Found(const PairSnapshot& moments, std::array<double, kAttributes> targets, double label_square)
      : targets_(targets) {
    std::vector<double> pairs(kAttributes);
    for (std::size_t i = 0; i < kAttributes; ++i)
      for (std::size_t j = i + 1; j < kAttributes; ++j) {
        pairs[i] += moments.weight(i, j);
        pairs[j] += moments.weight(i, j);
      }
    unseen.find(moments, {units_, variances_, targets_, label_square}, pairs);
    unseen.for_each(moments, [this](std::size_t i, std::size_t j) { visited.push_back({i, j}); });
  }

  std::array<double, kAttributes> units_{1, 1, 1, 1};
  std::array<double, kAttributes> variances_{2, 2, 1, 1};
  std::array<double, kAttributes> targets_;
  UnseenPairs unseen;
  std::vector<std::pair<std::size_t, std::size_t>> visited;
};

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

}  // namespace

TEST_CASE("what two attributes have in common with a third tells their covariance") {
  const PairSnapshot moments =
      learn(20000, {{0, 2, 3}, {1, 2, 3}}, [](double, double, double) { return 1.0; });
  const Found found(moments, {0, 0, 0, 0}, 1);
  CHECK(found.visited == Pairs{{0, 1}});
  // C_02·C_12/C_22 = 1. Of 10,000 products each the first two have standard errors of √1.8/100 at most.
  CHECK(std::abs(found.unseen.covariance(moments, 0, 1) - 1) < 4 * std::sqrt(2 * 1.8) / 100);
  CHECK(found.unseen.covariance(moments, 0, 1) == found.unseen.covariance(moments, 1, 0));
  // Of 2 and 2 the parts of their own are left.
  CHECK(std::abs(found.unseen.doubt(0, 1) / 0.3 - 1) < 0.15);
}

TEST_CASE("where no third one is seen with both, the label tells what it can") {
  const PairSnapshot moments = learn(20000, {{0, 2}, {1, 3}}, [](double z, double, double) { return z; });
  const Found found(moments, {1, 1, 1, 0}, 1);
  CHECK(found.visited == Pairs{{0, 1}, {0, 3}, {1, 2}, {2, 3}});
  // b_0·b_1/σ² = 1, and 1 of attributes 1 and 2.
  CHECK(std::abs(found.unseen.covariance(moments, 0, 1) - 1) < 0.05);
  CHECK(std::abs(found.unseen.covariance(moments, 1, 2) - 1) < 0.05);
  CHECK(std::abs(found.unseen.covariance(moments, 0, 3)) < 0.05);
}

TEST_CASE("a pair that chance may have hidden is none of them, nor one that was seen once") {
  const auto label = [](double, double, double) { return 1.0; };
  const auto few = learn(60, {{0, 2, 3}, {1, 2, 3}}, label);
  CHECK(Found(few, {0, 0, 0, 0}, 1).unseen.empty());
  const auto many = learn(20000, {{0, 2, 3}, {1, 2, 3}}, label);
  CHECK_FALSE(Found(many, {0, 0, 0, 0}, 1).unseen.empty());
  PairMoments once(kAttributes);
  const std::vector<Attribute> all{0, 1, 2, 3};
  const std::vector<Attribute> sets[] = {{0, 2, 3}, {1, 2, 3}};
  const std::vector<double> values{1, 2, 3};
  for (int e = 0; e < 2000; ++e) once.add(sets[e % 2], values, 1, 1);
  once.add(all, std::vector<double>{1, 2, 3, 4}, 1, 1);
  PairSnapshot snapshot;
  snapshot.take(once, true);
  CHECK(Found(snapshot, {0, 0, 0, 0}, 1).unseen.empty());
}

TEST_CASE("nothing that is not a number comes of constants, unseen attributes and labels all alike") {
  PairMoments moments(kAttributes);
  const std::vector<Attribute> sets[] = {{0, 2}, {1, 2}};
  const std::vector<double> values{5, 5};
  for (int e = 0; e < 1000; ++e) moments.add(sets[e % 2], values, 1, 1);
  PairSnapshot snapshot;
  snapshot.take(moments, true);
  const Found found(snapshot, {0, 0, 0, 0}, 0);
  REQUIRE(found.visited == Pairs{{0, 1}});
  CHECK(std::isfinite(found.unseen.covariance(snapshot, 0, 1)));
  CHECK(std::isfinite(found.unseen.doubt(0, 1)));
}

// y = x_0 + x_1, which no plan shows together. Taken for uncorrelated, each would have C_0y/C_00 = 3/2.
TEST_CASE("attributes that are never seen together, but each with what they share, have their own weights") {
  const PairSnapshot moments =
      learn(20000, {{0, 2, 3}, {1, 2, 3}}, [](double z, double a, double b) { return 2 * z + a + b; });
  PairwiseSolver solver;
  Model model;
  solver.solve(moments, {}, model);
  double loss = 0;
  Random random(2);
  for (int e = 0; e < 2000; ++e) {
    const Example x = example(random, [](double z, double a, double b) { return 2 * z + a + b; });
    double error = model.bias - x[kAttributes];
    for (std::size_t i = 0; i < kAttributes; ++i) error += model.weights[i] * x[i];
    loss += error * error / 2000;
  }
  // A tenth of the variance, 6: λ costs something. With 3/2 each it would be E(z + (a + b)/2)² = 1.5.
  CHECK(loss < 0.6);
}

}  // namespace unseen_pairs_test
