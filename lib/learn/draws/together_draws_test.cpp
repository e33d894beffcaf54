#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "learn/draws/priced_sets.h"

namespace together_draws_test {

using namespace glimpse;

TEST_CASE("draws are free where the money pays for so many of the population whichever they are") {
  Random random(1);
  for (int round = 0; round < 5000; ++round) {
    std::vector<Money> prices(random.below(6));
    for (Money& price : prices) price = random.below(20);
    std::ranges::sort(prices);
    const Money left = random.below(50);
    const std::size_t most = random.below(5);
    const FreeDraws free = free_draws(prices, left, most);
    REQUIRE(free.population <= prices.size());
    REQUIRE(free.draws <= std::min(most, free.population));
    REQUIRE(free.draws >= std::min<std::size_t>(2, free.population));
    const auto dearest = [&](std::size_t population, std::size_t draws) {
      const auto end = prices.begin() + static_cast<std::ptrdiff_t>(population);
      return std::accumulate(end - static_cast<std::ptrdiff_t>(draws), end, Money{0});
    };
    CHECK(dearest(free.population, free.draws) <= left);
    if (free.draws < std::min(most, free.population)) CHECK(dearest(free.population, free.draws + 1) > left);
    // No larger population has two.
    if (free.population < prices.size() && most >= 2 && free.population >= 1)
      CHECK(dearest(free.population + 1, 2) > left);
  }
}

TEST_CASE("what is certain leaves the cheapest others to be drawn from") {
  Prices prices(6);
  const Money own[] = {4, 1, 7, 2, 3, 100};
  for (Attribute i = 0; i < 6; ++i) prices.set(i, own[i]);
  TogetherDraws draws;
  CHECK(draws.empty());
  const auto alike = [](Attribute) { return 0.1; };
  draws.set(std::vector<Attribute>{0}, std::vector<Attribute>{1, 3, 4, 2, 5}, prices, 6, 5, alike);
  CHECK(std::ranges::equal(draws.certain(), std::vector<Attribute>{0}));
  CHECK(std::ranges::equal(draws.others(), std::vector<Attribute>{1, 3, 4}));
  CHECK(draws.free() == 3);
  draws.set(std::vector<Attribute>{0}, std::vector<Attribute>{1, 3, 4, 2, 5}, prices, 0, 5, alike);
  CHECK(draws.others().empty());
  CHECK(draws.free() == 0);
  draws.clear();
  CHECK(draws.empty());
}

}  // namespace together_draws_test
