#include "learn/iterates/shrunk_weights.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <vector>

namespace shrunk_weights_test {

using namespace glimpse;

namespace {

// The recursion as it is written, in long double: every weight moves in every step, and the threshold comes
// from sorting.
class Naive {
 public:
  Naive(std::size_t n, double radius) : radius_(radius), w_(n), sum_(n) {}

  void step(const std::vector<double>& delta) {
    const auto t = static_cast<long double>(++steps_);
    std::vector<long double> sorted;
    long double norm = 0;
    for (std::size_t i = 0; i < w_.size(); ++i) {
      w_[i] = (1 - 1 / t) * w_[i] + static_cast<long double>(delta[i]) / t;
      sorted.push_back(std::abs(w_[i]));
      norm += std::abs(w_[i]);
    }
    long double threshold = 0;
    if (norm > radius_) {
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      long double sum = 0;
      for (std::size_t n = 0; n < sorted.size(); ++n) {
        sum += sorted[n];
        if ((sum - radius_) / static_cast<long double>(n + 1) >= sorted[n]) break;
        threshold = (sum - radius_) / static_cast<long double>(n + 1);
      }
      ++projections;
    }
    for (std::size_t i = 0; i < w_.size(); ++i) {
      w_[i] = std::copysign(std::fmax(std::abs(w_[i]) - threshold, 0.0L), w_[i]);
      sum_[i] += w_[i];
    }
  }
  double weight(std::size_t i) const { return static_cast<double>(w_[i]); }
  double averaged(std::size_t i) const {
    return static_cast<double>(sum_[i] / static_cast<long double>(steps_));
  }

  int projections = 0;

 private:
  long double radius_;
  std::vector<long double> w_;
  std::vector<long double> sum_;
  long steps_ = 0;
};

double threshold_of(const ShrunkWeights& weights) {
  State state;
  state.begin();
  weights.save(state);
  state.finish();
  return (*state.get<double>("shrunk.scalars"))[0];
}

struct Followed {
  int projections = 0;
  int rebases = 0;
};

// Random steps of `size`, of which a few coordinates have a tendency; the largest difference relative to the
// largest weight stays within `tolerance`.
Followed follow(std::size_t dimension, double radius, double size, int steps, double tolerance) {
  Random random(dimension);
  ShrunkWeights lazy(dimension, radius);
  Naive naive(dimension + 1, radius);
  Followed followed;
  double before = 0;
  for (int t = 1; t <= steps; ++t) {
    std::vector<double> delta(dimension + 1);
    std::vector<ShrunkWeights::Change> changes;
    for (std::size_t i = 0; i < dimension; ++i) {
      if (random.uniform() >= 3 / static_cast<double>(dimension)) continue;
      const double tendency = i % 7 == 0 ? 0.5 : 0;
      delta[i] = random.uniform() < 0.02 ? 0 : size * (2 * random.uniform() - 1 + tendency);
      changes.push_back({static_cast<Attribute>(i), delta[i]});
    }
    delta[dimension] = t % 3 == 0 ? 0 : size * (random.uniform() - 0.4) / 3;
    REQUIRE(lazy.step(changes, delta[dimension]));
    naive.step(delta);

    const double threshold = threshold_of(lazy);
    if (threshold < before) ++followed.rebases;
    before = threshold;

    if (t > 50 && t % 499 != 0 && t != steps) continue;
    double largest = 0;
    double largest_average = 0;
    for (std::size_t i = 0; i <= dimension; ++i) {
      largest = std::max(largest, std::abs(naive.weight(i)));
      largest_average = std::max(largest_average, std::abs(naive.averaged(i)));
    }
    double norm = 0;
    for (std::size_t i = 0; i <= dimension; ++i) {
      REQUIRE(std::abs(lazy.weight(i) - naive.weight(i)) <= tolerance * largest);
      REQUIRE(std::abs(lazy.averaged(i) - naive.averaged(i)) <= tolerance * largest_average);
      norm += std::abs(lazy.weight(i));
    }
    REQUIRE(norm <= radius * (1 + 1e-13));
    REQUIRE(lazy.sampled_norm() ==
            doctest::Approx(norm - std::abs(lazy.weight(dimension))).epsilon(tolerance));
  }
  followed.projections = naive.projections;
  return followed;
}

}  // namespace

TEST_CASE("lazy and naive agree to 1e-12 over 20,000 steps, in a ball that binds mostly, at times or never") {
  CHECK(follow(40, 1, 10, 20000, 1e-12).projections > 10000);
  const Followed at_times = follow(41, 1, 3, 20000, 1e-12);
  CHECK(at_times.projections > 100);
  CHECK(at_times.projections < 10000);
  CHECK(follow(40, 100, 0.1, 20000, 1e-12).projections == 0);
  CHECK(follow(1, 1, 2, 5000, 1e-12).projections > 100);
  CHECK(follow(300, 1, 50, 20000, 1e-12).projections > 10000);
}

// A change far larger than the ball has digits of its own that the ball cannot see: 1e-16 times it.
TEST_CASE("steps thousands and millions of times the ball are followed as far as their digits reach") {
  const Followed thousand = follow(60, 1, 1e3, 20000, 1e-11);
  CHECK(thousand.rebases > 5);
  CHECK(thousand.rebases < 10000);
  CHECK(follow(60, 1e-3, 1e3, 5000, 1e-8).rebases > 100);
}

TEST_CASE("the ball holds to 1e-13 after changes whose sum has no digits left for it") {
  ShrunkWeights weights(3, 1);
  const std::vector<ShrunkWeights::Change> close{{0, 3e11 + 0.3}, {1, -3e11}, {2, 3e11 + 0.1}};
  REQUIRE(weights.step(close, -3e11 - 0.2));
  double norm = 0;
  for (std::size_t i = 0; i < 4; ++i) norm += std::abs(weights.weight(i));
  CHECK(norm <= 1 + 1e-13);
  CHECK(norm > 0.999);
}

TEST_CASE("a step that rounding alone would decide is refused and changes nothing") {
  ShrunkWeights weights(3, 1);
  const std::vector<ShrunkWeights::Change> sound{{1, 0.5}};
  REQUIRE(weights.step(sound, 0));
  for (const double delta : {1e13, -1e300, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const std::vector<ShrunkWeights::Change> wild{{0, 0.1}, {2, delta}};
    CHECK(!weights.step(wild, 0));
    CHECK(!weights.step(sound, delta));
  }
  CHECK(weights.steps() == 1);
  CHECK(weights.weight(0) == 0);
  CHECK(weights.weight(1) == 0.5);
  CHECK(weights.averaged(1) == 0.5);
  CHECK(weights.sampled_norm() == 0.5);
  const std::vector<ShrunkWeights::Change> large{{2, -1e12}};
  CHECK(weights.step(large, 0));
  CHECK(weights.weight(2) == doctest::Approx(-1).epsilon(1e-3));
}

TEST_CASE("a weight that is moved to zero is zero, and drawn no more") {
  ShrunkWeights weights(2, 1);
  REQUIRE(weights.step(std::vector<ShrunkWeights::Change>{{0, 0.25}, {1, -0.5}}, 0));
  REQUIRE(weights.step(std::vector<ShrunkWeights::Change>{{1, 0.5}}, 0));
  CHECK(weights.weight(1) == 0);
  CHECK(weights.averaged(1) == -0.25);
  CHECK(weights.sampled_norm() == 0.125);
  Random random(1);
  for (int i = 0; i < 100; ++i) REQUIRE(weights.sample(random) == 0);
}

TEST_CASE("when all weights are moved to zero, the smallest of new ones has all its digits") {
  ShrunkWeights weights(2, 1);
  REQUIRE(weights.step(std::vector<ShrunkWeights::Change>{{0, 10}}, 0));
  CHECK(weights.weight(0) == 1);
  REQUIRE(weights.step(std::vector<ShrunkWeights::Change>{{0, -1}}, 0));
  CHECK(weights.sampled_norm() == 0);
  REQUIRE(weights.step(std::vector<ShrunkWeights::Change>{{1, 3e-20}}, 0));
  CHECK(weights.weight(1) == doctest::Approx(1e-20).epsilon(1e-15));
  CHECK(weights.averaged(0) == doctest::Approx(1.0 / 3).epsilon(1e-15));
}

}  // namespace shrunk_weights_test
