#include "learn/draws/priced_sampling.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "learn/costs_test_support.h"

namespace priced_sampling_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions limited(const std::vector<Money>& own, Money limit, std::size_t budget) {
  LearnerOptions options = options_of("ddaerr", own.size(), budget);
  options.draws.reset();
  options.prices = prices_of(own);
  options.budget_cost = limit;
  REQUIRE(validate(options).has_value());
  return options;
}

PricedSampling planned(const LearnerOptions& options, MomentPower power, const std::vector<double>& moments) {
  const auto k = static_cast<std::uint32_t>(options.budget);
  const std::uint32_t inner = PricedSampling::inner_draws(options, k - k / 2);
  PricedSampling sampling(options, k - inner, inner, power);
  sampling.plan(
      [&](std::size_t i) { return power == MomentPower::kRoot ? std::sqrt(moments[i]) : moments[i]; },
      [&](std::size_t i) { return moments[i]; });
  return sampling;
}

}  // namespace

TEST_CASE("inner-product draws are few enough to cost half of the limit at most") {
  CHECK(PricedSampling::inner_draws(limited({1, 5, 10, 11}, 20, 4), 2) == 1);
  CHECK(PricedSampling::inner_draws(limited({1, 5, 10, 11}, 40, 4), 2) == 1);  // 11 can be bought by now
  CHECK(PricedSampling::inner_draws(limited({1, 5, 10, 11}, 44, 4), 2) == 2);
  CHECK(PricedSampling::inner_draws(limited({1, 5, 10, 11}, 1000, 4), 2) == 2);
  CHECK(PricedSampling::inner_draws(limited({0, 0, 10, 10}, 8, 4), 2) == 2);  // only what is free
}

// By hand: prices 1, 1 and 2 are one class, with top price 2. Of a limit of 4 the inner draw takes 2, and the
// other 2 buy one draw.
TEST_CASE("one class of prices: a plan by hand") {
  const LearnerOptions options = limited({1, 1, 2}, 4, 3);
  PricedSampling sampling = planned(options, MomentPower::kFirst, {1, 1, 2});
  sampling.begin();
  sampling.pay(2);
  Random random(1);
  int draws = 0;
  sampling.draw(random, [&](Attribute i, double coefficient) {
    ++draws;
    CHECK(std::abs(coefficient / (i == 2 ? 2 : 4) - 1) < 0.03);
  });
  CHECK(draws == 1);
  CHECK(std::abs(sampling.probability(2) / 0.5 - 1) < 0.03);
}

// Prices 1 and 8 are two classes. R = 8 buys two draws of the cheap class (K allows no more) or one of the
// dear one. Lasso, M = 1, 1 | 1: bounds 2/2 + ½·1 = 1.5 and 1, so π = .6 and .4, mixed with a hundredth.
TEST_CASE("two classes of prices: a plan by hand") {
  const LearnerOptions options = limited({1, 1, 8}, 16, 3);
  PricedSampling sampling = planned(options, MomentPower::kFirst, {1, 1, 1});
  Random random(1);
  int cheap = 0;
  constexpr int kPlans = 100000;
  const double cheap_chance = 0.99 * 0.6 + 0.005;
  for (int n = 0; n < kPlans; ++n) {
    sampling.begin();
    sampling.pay(2);
    int draws = 0;
    sampling.draw(random, [&](Attribute i, double coefficient) {
      ++draws;
      if (i == 2) {
        REQUIRE(coefficient == doctest::Approx(1 / (1 - cheap_chance)));
      } else {
        REQUIRE(coefficient == doctest::Approx(2 / (2 * cheap_chance)));
        ++cheap;
      }
    });
    REQUIRE(draws <= 2);
  }
  CHECK(std::abs(cheap / 2.0 - kPlans * cheap_chance) <
        4 * std::sqrt(kPlans * cheap_chance * (1 - cheap_chance)));
}

// Draws are counted over plans without an inner part. With much money and classes of one price each the
// expected number of draws of an attribute must be ∝ √(M_i/c_i), ridge's optimum, and ∝ M_i for lasso's.
TEST_CASE("expected draws follow the root of moment over price for ridge, the moment for lasso") {
  const std::vector<double> moments{1, 1, 4, 4};
  for (const MomentPower power : {MomentPower::kRoot, MomentPower::kFirst}) {
    const LearnerOptions options = limited({1, 4, 16, 64}, 100000, 4);
    // As many draws as the money buys.
    PricedSampling sampling(options, 100000, 1, power);
    sampling.plan(
        [&](std::size_t i) { return power == MomentPower::kRoot ? std::sqrt(moments[i]) : moments[i]; },
        [&](std::size_t i) { return moments[i]; });
    Random random(3);
    double counts[4] = {};
    double all = 0;
    double second = 0;
    constexpr int kPlans = 200;
    for (int n = 0; n < kPlans; ++n) {
      sampling.begin();
      double shares[4] = {};
      double square = 0;
      sampling.draw(random, [&](Attribute i, double coefficient) {
        ++counts[i];
        ++all;
        shares[i] += coefficient;
      });
      for (const double share : shares) {
        REQUIRE(std::abs(share - 1) < 0.5);  // by thousands of draws
        square = std::max(square, share * share);
      }
      second += square / kPlans;
    }
    CHECK(second < 1.2);
    const double expected[] = {
        power == MomentPower::kRoot ? 1.0 : 1.0, power == MomentPower::kRoot ? 0.5 : 1.0,
        power == MomentPower::kRoot ? 0.5 : 4.0, power == MomentPower::kRoot ? 0.25 : 4.0};
    const double sum = expected[0] + expected[1] + expected[2] + expected[3];
    for (std::size_t i = 0; i < 4; ++i) {
      const double truth = sampling.probability(static_cast<Attribute>(i));
      CHECK(std::abs(truth * sum / expected[i] - 1) < 0.04);  // the rounding of the level tables
      // 4 standard errors, and the last share's class.
      CHECK(std::abs(counts[i] / all - truth) < 4 * std::sqrt(truth / all) + 0.001);
    }
  }
}

TEST_CASE("equal prices, and money for K: the draws and coefficients are those without prices") {
  constexpr std::uint32_t kBudget = 6;
  LearnerOptions options = limited(std::vector<Money>(8, kMoneyUnit), kBudget * kMoneyUnit, kBudget);
  PricedSampling sampling = planned(options, MomentPower::kRoot, {1, 4, 9, 1, 1, 1, 1, 1});
  Random random(1);
  for (int n = 0; n < 1000; ++n) {
    sampling.begin();
    for (Attribute i = 0; i < 3; ++i) sampling.pay(i);
    double weight = 0;
    int draws = 0;
    sampling.draw(random, [&](Attribute i, double coefficient) {
      ++draws;
      weight += coefficient * sampling.probability(i);
      // An attribute drawn twice is paid for once, and K stops the draws.
      REQUIRE(coefficient == doctest::Approx(1 / (3 * sampling.probability(i))));
    });
    REQUIRE(draws == 3);
    REQUIRE(weight == doctest::Approx(1));
  }
}

TEST_CASE("what is free is drawn in every plan, beside what is paid for") {
  LearnerOptions options = limited({0, 0, 0, 5, 7, 9}, 18, 6);
  PricedSampling sampling = planned(options, MomentPower::kRoot, {1, 1, 1, 1, 1, 1});
  Random random(1);
  for (int n = 0; n < 1000; ++n) {
    sampling.begin();
    int free_draws = 0;
    int paid = 0;
    sampling.draw(random, [&](Attribute i, double) { ++(i < 3 ? free_draws : paid); });
    REQUIRE(free_draws >= 1);
    REQUIRE(paid >= 1);
    REQUIRE(free_draws + paid <= 5);
  }
}

}  // namespace priced_sampling_test
