#include "learn/iterates/lazy_weights.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"

namespace lazy_weights_test {

using namespace glimpse;

TEST_CASE("the average counts every iterate once, whether a coordinate moved or not") {
  LazyWeights weights(2);
  weights.count_iterate();  // (0, 0)
  weights.set(0, 3, 1, 1);
  weights.count_iterate();  // (3, 0)
  weights.set(1, -1, 1, 1);
  weights.count_iterate();  // (3, −1)
  CHECK(weights.averaged(0) == doctest::Approx(2));
  CHECK(weights.averaged(1) == doctest::Approx(-1.0 / 3));
  CHECK(weights.norm() == doctest::Approx(std::sqrt(10.0)));
}

TEST_CASE("a projection scales every coordinate, and later iterates are counted as scaled") {
  LazyWeights weights(2);
  weights.set(0, 3, 1, 1);
  weights.set(1, 4, 1, 1);
  weights.count_iterate();
  weights.project(1);
  CHECK(weights.weight(0) == doctest::Approx(0.6));
  CHECK(weights.weight(1) == doctest::Approx(0.8));
  weights.count_iterate();
  CHECK(weights.averaged(0) == doctest::Approx(1.8));
  CHECK(weights.averaged(1) == doctest::Approx(2.4));
  weights.project(2);  // inside: nothing happens
  CHECK(weights.norm() == doctest::Approx(1));
}

TEST_CASE("the average drops what was learned in a unit hundreds of times too small") {
  const auto averaged = [](double now) {
    LazyWeights weights(2);
    weights.set(0, 3, 1, 1);
    weights.set(1, 3, 1, 1);
    for (int t = 0; t < 4; ++t) {  // the projections close an epoch
      weights.count_iterate();
      weights.project(weights.norm() / 4);
    }
    const double before = weights.averaged(0);
    const double lost = weights.past_lost(0, 1, now);
    weights.change_unit(0, 1, now);
    CHECK(weights.averaged(0) * 4 == doctest::Approx(before * 4 - lost));
    CHECK(weights.averaged(1) == doctest::Approx(before));
    CHECK(weights.norm() == doctest::Approx(std::hypot(weights.weight(0) * now, weights.weight(1))));
    return weights.averaged(0) / before;
  };
  CHECK(averaged(256) == doctest::Approx(1));
  CHECK(averaged(1024) == doctest::Approx(0x1p-20));
  CHECK(averaged(1e9) == doctest::Approx(1e-18));
}

// Each step doubles the norm and is projected back: the scale shrinks to 2^-3000, far below the smallest
// double, were it not brought back. Coordinate 2 is never touched, so the epochs it owes add up.
TEST_CASE("the scale may shrink without end") {
  LazyWeights weights(3);
  weights.set(2, 1, 1, 1);
  double sum = 0;
  double untouched = 1;
  for (int t = 1; t <= 3000; ++t) {
    weights.count_iterate();
    sum += untouched;
    const double rest =
        std::sqrt(4 - weights.weight(2) * weights.weight(2) - weights.weight(1) * weights.weight(1));
    weights.set(0, rest, 1, 1);
    weights.project(1);
    untouched /= 2;
    REQUIRE(weights.norm() == doctest::Approx(1).epsilon(1e-12));
    REQUIRE(weights.averaged(2) == doctest::Approx(sum / t).epsilon(1e-13));
  }
}

TEST_CASE("a norm carried along a long stream is that of the weights") {
  LazyWeights weights(50);
  Random random(1);
  const auto metric = [](std::size_t i) { return 1.0 + static_cast<double>(i); };
  for (int t = 0; t < 200000; ++t) {
    weights.count_iterate();
    const std::size_t i = random.below(50);
    weights.set(i, weights.weight(i) + random.uniform() - 0.5, metric(i), metric(i));
    weights.project(30);
  }
  double square = 0;
  for (std::size_t i = 0; i < 50; ++i)
    square += weights.weight(i) * metric(i) * weights.weight(i) * metric(i);
  CHECK(weights.norm() == doctest::Approx(std::sqrt(square)).epsilon(1e-13));
}

// The scale is 1/√10, so a plain sum of a million is off by some 10⁻¹².
TEST_CASE("the average of many iterates has the digits of one") {
  LazyWeights weights(2);
  weights.set(0, 3, 1, 1);
  weights.set(1, -1, 1, 1);
  weights.project(1);
  for (int t = 0; t < 1000000; ++t) weights.count_iterate();
  CHECK(weights.averaged(0) == doctest::Approx(weights.weight(0)).epsilon(1e-15));
  CHECK(weights.averaged(1) == doctest::Approx(weights.weight(1)).epsilon(1e-15));
}

TEST_CASE("restarting from the average makes it the iterate and forgets the past") {
  LazyWeights weights(1);
  weights.count_iterate();
  weights.set(0, 4, 1, 1);
  weights.count_iterate();
  weights.restart_from_average({}, [](std::size_t) { return 1.0; });
  CHECK(weights.weight(0) == 2);
  CHECK(weights.iterate_weight() == 0);
  CHECK(weights.averaged(0) == 2);
  weights.count_iterate();
  CHECK(weights.averaged(0) == 2);
  CHECK(weights.norm() == 2);
}

// 40 coordinates in 5 groups, changed at random, and a ball that cuts each step to between a half and a
// thousandth: many epochs and several rescalings, against whole vectors.
TEST_CASE("averages under strong projections are those of whole vectors, also after a restore") {
  constexpr std::size_t kSize = 40;
  LazyWeights weights(kSize);
  LazyWeights restored(kSize);
  std::vector<double> w(kSize);
  std::vector<double> sum(kSize);
  Random random(4);
  const auto step = [&](LazyWeights& lazy, std::size_t i, double value) {
    lazy.count_iterate();
    lazy.set(i, value, 1, 1);
    return lazy.project(1);
  };
  int rescalings = 0;
  for (int t = 1; t <= 2000; ++t) {
    for (std::size_t i = 0; i < kSize; ++i) sum[i] += w[i];
    const std::size_t i = random.below(random.uniform() < 0.5 ? 3 : kSize);
    const double value = w[i] + 2 * std::pow(500.0, random.uniform());
    w[i] = value;
    double square = 0;
    for (const double x : w) square += x * x;
    for (double& x : w) x /= std::max(1.0, std::sqrt(square));
    rescalings += step(weights, i, value) ? 1 : 0;
    if (t == 1100) {
      State state;
      state.begin();
      weights.save(state);
      state.finish();
      REQUIRE(restored.restore(state).has_value());
    }
    if (t > 1100) step(restored, i, value);
    for (std::size_t j = 0; j < kSize; ++j) {
      REQUIRE(std::abs(weights.weight(j) - w[j]) <= 1e-12);
      REQUIRE(std::abs(weights.averaged(j) - sum[j] / t) <= 1e-12);
      if (t > 1100) REQUIRE(weights.averaged(j) == restored.averaged(j));
    }
  }
  CHECK(rescalings >= 5);
}

TEST_CASE("averages whose weights grow are those of whole vectors, also when the weights are brought back") {
  constexpr std::size_t kSize = 10;
  const double growth = std::exp2(1 / 50.0);  // a half-life of 50 iterates
  LazyWeights weights(kSize);
  std::vector<double> w(kSize);
  std::vector<double> average(kSize);
  Random random(6);
  double rho = 1;
  double total = 0;  // Σ ρ in units of the newest
  for (int t = 1; t <= 5000; ++t) {
    total = total / growth + 1;
    for (std::size_t i = 0; i < kSize; ++i) average[i] += (w[i] - average[i]) / total;
    weights.count_iterate(rho);
    rho *= growth;
    if (rho > 0x1p20) {
      weights.scale_average(0x1p-20);
      rho *= 0x1p-20;
    }
    const std::size_t i = random.below(kSize);
    const double value = w[i] + random.uniform() - 0.5;
    w[i] = value;
    double square = 0;
    for (const double x : w) square += x * x;
    for (double& x : w) x /= std::max(1.0, std::sqrt(square));
    weights.set(i, value, 1, 1);
    weights.project(1);
    for (std::size_t j = 0; j < kSize; ++j) REQUIRE(std::abs(weights.averaged(j) - average[j]) <= 1e-12);
  }
}

}  // namespace lazy_weights_test
