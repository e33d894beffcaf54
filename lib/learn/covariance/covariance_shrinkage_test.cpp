#include <cmath>
#include <doctest/doctest.h>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "learn/covariance/attribute_units.h"
#include "learn/covariance/unseen_pairs.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_snapshot.h"

namespace covariance_shrinkage_test {

using namespace glimpse;

namespace {

const std::vector<Attribute> kFirst = {0};

AttributeSums sums_of(const std::vector<double>& values, double weight = 1) {
  PairMoments moments(1);
  for (const double value : values) moments.add(kFirst, std::vector<double>{value}, 0, weight);
  return moments[0];
}

// `value` once in each `period`, at `phase`, and 0 elsewhere.
std::vector<double> pulses(int count, int period, int phase, double value) {
  std::vector<double> x(static_cast<std::size_t>(count), 0);
  for (int i = phase; i < count; i += period) x[static_cast<std::size_t>(i)] = value;
  return x;
}

}  // namespace

// 1 with p = 1/100: kurtosis (1 − 3p(1 − p))/(p(1 − p)) = 98.01…
TEST_CASE("what differs from 0 once in a hundred examples needs some 33 of them for a look") {
  const double variance = 0.01 * 0.99;
  const double expected = (1 - 3 * variance) / variance / 3;
  CHECK(covariance_shrinkage(sums_of(pulses(1000, 100, 50, 1))) == doctest::Approx(expected).epsilon(1e-9));
  // The first value is what the sums are about: it has no influence.
  CHECK(covariance_shrinkage(sums_of(pulses(1000, 100, 0, 1))) == doctest::Approx(expected).epsilon(1e-9));
  CHECK(covariance_shrinkage(sums_of(pulses(1000, 100, 0, -1e9))) == doctest::Approx(expected).epsilon(1e-9));
}

TEST_CASE("coins, uniform and normal values need one example for a look, and so does what never varied") {
  Random random(1);
  std::vector<double> uniform;
  std::vector<double> normal;
  for (int i = 0; i < 10000; ++i) {
    uniform.push_back(random.uniform());
    normal.push_back(std::sqrt(-2 * std::log(1 - random.uniform())) *
                     std::cos(6.283185307179586 * random.uniform()));
  }
  CHECK(covariance_shrinkage(sums_of(pulses(100, 2, 0, 1))) == 1);
  CHECK(covariance_shrinkage(sums_of(uniform)) == 1);
  CHECK(covariance_shrinkage(sums_of(normal)) == 1);
  CHECK(covariance_shrinkage(sums_of({3, 3, 3})) == 1);
  CHECK(covariance_shrinkage(sums_of({})) == 1);
}

TEST_CASE("half of every example's weight leaves the shrinkage as it is") {
  const std::vector<double> x = pulses(1000, 100, 50, 1);
  CHECK(covariance_shrinkage(sums_of(x, 0.5)) ==
        doctest::Approx(covariance_shrinkage(sums_of(x))).epsilon(1e-12));
}

// Two attributes that are 1 in one of 25 examples, seen together in 20, in one of which both are 1. Twenty
// coins, of which all are seen at a time, and of which the label knows nothing, show that attributes are not
// correlated. All in common units of 1/4, and the equations of two unknowns solved by hand.
TEST_CASE("a solution is that of covariances shrunk so: where two rare attributes coincide once") {
  constexpr std::size_t kCoins = 20;
  PairMoments moments(2 + kCoins);
  const std::vector<Attribute> second = {1};
  std::vector<Attribute> coins(kCoins);
  std::iota(coins.begin(), coins.end(), Attribute{2});
  Random random(1);
  std::vector<double> sides(kCoins);
  for (int e = 0; e < 400; ++e) {
    const double x = e % 25 == 24 ? 1 : 0;
    moments.add(kFirst, std::vector<double>{x}, x, 1);
    moments.add(second, std::vector<double>{x}, -x, 1);
    for (double& side : sides) side = random.below(2) == 0 ? -0.2 : 0.2;
    moments.add(coins, sides, 0, 1);
  }
  for (int e = 0; e < 20; ++e)
    moments.add(std::vector<Attribute>{0, 1}, std::vector<double>(2, e == 10 ? 1 : 0), 0, 1);
  PairSnapshot snapshot;
  snapshot.take(moments, true);
  PairwiseSolver solver;
  solver.set_trial(1, true);
  Model model;
  const PairwiseChoice choice = solver.solve(snapshot, NormBall{Ball::kL2, 100}, model);

  const double n = 420;
  const double mean = 17 / n;
  const double variance = mean * (1 - mean);
  // 17 values that are not 0, all alike.
  const double freedom = 16 + 1 / (2 * attribute_units(snapshot.attributes()).spread);
  const double doubt = 1 / std::sqrt(17) + 4 / (freedom * freedom);
  const double shrinkage = (1 - 3 * variance) / variance / 3;
  const double diagonal = variance * (1 + doubt) + choice.ridge / 16;
  const double covariance = (std::pow(1 - mean, 2) + 19 * mean * mean) / (20 + shrinkage);
  const double target = 16 * (1 - mean) / (n + 1);  // the signs are opposite: the labels' mean is 0
  CHECK(shrinkage > 5);
  const double expected = target / (diagonal - covariance);
  CHECK(model.weights[0] == doctest::Approx(expected).epsilon(0.001));
  CHECK(model.weights[1] == doctest::Approx(-expected).epsilon(0.001));
}

TEST_CASE("where attributes may be correlated one example is enough, whatever their tails") {
  PairMoments moments(2);
  for (int e = 0; e < 400; ++e) {
    const double x = e % 25 == 24 ? 1 : 0;
    moments.add(std::vector<Attribute>{0, 1}, std::vector<double>(2, x), x, 1);
  }
  moments.add(kFirst, std::vector<double>{0}, 0, 1);  // where all was seen nothing is shrunk
  PairSnapshot snapshot;
  snapshot.take(moments, true);
  PairwiseSolver solver;
  Model model;
  solver.solve(snapshot, {}, model);
  TargetMoments description;
  solver.describe(snapshot, model, description);
  CHECK(covariance_shrinkage(moments[0]) > 7);
  CHECK(description.shrinkage == std::vector<double>{1, 1});
}

}  // namespace covariance_shrinkage_test
