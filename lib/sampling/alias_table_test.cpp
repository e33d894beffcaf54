#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "sampling/level_table.h"

namespace alias_table_test {

using glimpse::AliasTable;
using glimpse::Random;

TEST_CASE("draws follow the weights within four standard errors, and weight 0 is never drawn") {
  const std::vector<double> weights{5, 0, 1, 0.25, 100, 3, 0, 8};
  double total = 0;
  for (const double w : weights) total += w;
  AliasTable table;
  table.build(weights);
  Random random(11);
  constexpr int kDraws = 400000;
  std::vector<int> seen(weights.size());
  for (int i = 0; i < kDraws; ++i) ++seen[table.sample(random)];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / total;
    CHECK(std::abs(seen[i] - kDraws * p) <= 4 * std::sqrt(kDraws * p * (1 - p)));
  }
}

TEST_CASE("a single item is always drawn, and a table can be built again") {
  AliasTable table;
  table.build(std::vector<double>{1, 2, 3});
  table.build(std::vector<double>{0.5});
  Random random(1);
  for (int i = 0; i < 100; ++i) CHECK(table.sample(random) == 0);
}

}  // namespace alias_table_test
