#include "learn/draws/available_draws.h"

#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <utility>

namespace available_draws_test {

using namespace glimpse;

// 4 standard errors, fixed seeds.

TEST_CASE("running sums draw in proportion to the weights, and never what has none") {
  RunningSums sums;
  sums.begin();
  const double weights[] = {0, 1, 0, 3, 6, 0};
  for (const double weight : weights) sums.add(weight);
  Random random(1);
  constexpr int kDraws = 100000;
  int counts[6] = {};
  for (int n = 0; n < kDraws; ++n) ++counts[sums.sample(random)];
  for (int i = 0; i < 6; ++i) {
    const double p = weights[i] / 10;
    CHECK(std::abs(counts[i] - kDraws * p) <= 4 * std::sqrt(kDraws * p * (1 - p)));
  }
}

TEST_CASE("draws one after another have the chances of what is left, and say so") {
  Random random(2);
  constexpr int kDraws = 100000;
  std::map<std::pair<Attribute, Attribute>, int> counts;
  const double weights[] = {1, 2, 5};
  for (int n = 0; n < kDraws; ++n) {
    SequentialDraws draws;
    draws.begin();
    for (Attribute i = 0; i < 3; ++i) draws.add(i + 10, weights[i]);
    const auto first = draws.draw(random);
    REQUIRE(first.coefficient == doctest::Approx(8 / weights[first.attribute - 10]));
    const auto second = draws.draw(random);
    REQUIRE(second.coefficient ==
            doctest::Approx((8 - weights[first.attribute - 10]) / weights[second.attribute - 10]));
    ++counts[{first.attribute - 10, second.attribute - 10}];
    REQUIRE(draws.size() == 1);
    draws.keep_only([](Attribute) { return false; });
    REQUIRE(draws.size() == 0);
  }
  for (Attribute a = 0; a < 3; ++a)
    for (Attribute b = 0; b < 3; ++b) {
      if (a == b) continue;
      const double p = weights[a] / 8 * weights[b] / (8 - weights[a]);
      CHECK(std::abs(counts[std::pair{a, b}] - kDraws * p) <= 4 * std::sqrt(kDraws * p * (1 - p)));
    }
}

}  // namespace available_draws_test
