#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "learn/costs_test_support.h"
#include "learn/draws/priced_sampling.h"

namespace price_scale_test {

using namespace glimpse;
using namespace glimpse::test;

TEST_CASE(
    "where money is what binds, chances fall with the root of the price; where draws are, they do not") {
  const auto prices = prices_of({1, 4, 100, 0});
  const std::vector<Attribute> all{0, 1, 2, 3};
  const std::vector<double> roots{1, 1, 1, 1};
  // Many draws: q = 1, 1/2, 1/10 and 1 for the free one, priced like the cheapest.
  const PriceScale money(*prices, all, roots, 10, 1000, PriceScale::Draws::kIndependent);
  CHECK(money(1) == 1);
  CHECK(money(4) == 0.5);
  CHECK(money(100) == doctest::Approx(0.1).epsilon(1e-12));
  CHECK(money(0) == 1);
  // Two uniform draws cost 52.5 on average.
  const PriceScale draws(*prices, all, roots, 52.5, 2, PriceScale::Draws::kIndependent);
  CHECK(draws(100) == 1);
  // In between both bind: κ is such that all of the money is spent.
  const PriceScale both(*prices, all, roots, 40, 2, PriceScale::Draws::kIndependent);
  double sum = 0;
  double cost = 0;
  for (const Attribute i : all) {
    const Money price = prices->alone(i);
    sum += both(price);
    cost += both(price) * static_cast<double>(price);
  }
  CHECK(std::abs(2 * cost / sum / 40 - 1) < 0.002);
  CHECK(both(100) > 0.1);
  CHECK(both(100) < 1);
}

}  // namespace price_scale_test
