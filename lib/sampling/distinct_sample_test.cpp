#include "sampling/distinct_sample.h"

#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <set>

namespace distinct_sample_test {

using namespace glimpse;

TEST_CASE("every set of k out of n is drawn equally often") {
  constexpr int kDraws = 200000;
  for (const std::uint32_t k : {1U, 2U, 3U, 5U}) {
    DistinctSample sample(k);
    Random random(k);
    std::map<std::set<Attribute>, int> seen;
    for (int i = 0; i < kDraws; ++i) {
      std::set<Attribute> drawn;
      sample.draw(6, random, [&](Attribute item) { drawn.insert(item); });
      REQUIRE(drawn.size() == k);
      REQUIRE(*drawn.rbegin() < 6);
      ++seen[drawn];
    }
    const std::size_t sets = k == 1 || k == 5 ? 6 : k == 2 ? 15 : 20;
    REQUIRE(seen.size() == sets);
    const double p = 1 / static_cast<double>(sets);
    for (const auto& [drawn, times] : seen)
      CHECK(std::abs(times - kDraws * p) <= 5 * std::sqrt(kDraws * p * (1 - p)));
  }
}

TEST_CASE("all of n, and many of very many, are distinct") {
  for (const std::uint64_t n : {1000ULL, 2000ULL, 2147483648ULL}) {
    DistinctSample sample(1000);
    Random random(7);
    for (int i = 0; i < 20; ++i) {
      std::set<Attribute> drawn;
      sample.draw(n, random, [&](Attribute item) { drawn.insert(item); });
      CHECK(drawn.size() == 1000);
      CHECK(*drawn.rbegin() < n);
    }
  }
}

}  // namespace distinct_sample_test
