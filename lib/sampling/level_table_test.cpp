#include "sampling/level_table.h"

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

namespace level_table_test {

using glimpse::LevelTable;
using glimpse::Random;

namespace {
LevelTable table_of(const std::vector<double>& weights) {
  LevelTable table(weights.size());
  table.build([&](std::size_t i) { return weights[i]; });
  return table;
}
}  // namespace

TEST_CASE("draws have the probability they claim, within four standard errors") {
  const std::vector<double> weights{5, 0.01, 1, 0.25, 100, 3, 0.02, 8, 8, 8.1};
  const LevelTable table = table_of(weights);
  Random random(5);
  constexpr int kDraws = 400000;
  std::vector<int> seen(weights.size());
  for (int i = 0; i < kDraws; ++i) {
    const auto draw = table.sample(random);
    ++seen[draw.attribute];
    REQUIRE(draw.probability == table.probability(draw.attribute));
  }
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = table.probability(static_cast<glimpse::Attribute>(i));
    sum += p;
    CHECK(std::abs(seen[i] - kDraws * p) <= 4 * std::sqrt(kDraws * p * (1 - p)));
  }
  CHECK(sum == doctest::Approx(1).epsilon(1e-14));
}

TEST_CASE("probabilities stay within the promised rounding of the weights") {
  for (const double range : {1.0, 100.0, 6e4, 1e9}) {
    Random random(9);
    std::vector<double> weights(5000);
    double total = 0;
    for (double& w : weights) total += w = std::pow(range, random.uniform());
    const LevelTable table = table_of(weights);
    const double tolerance =
        range <= 65536 ? 0.065 : 0.13;  // twice the rounding: the total is rounded as well
    for (std::size_t i = 0; i < weights.size(); ++i)
      REQUIRE(table.probability(static_cast<glimpse::Attribute>(i)) * total / weights[i] ==
              doctest::Approx(1).epsilon(tolerance));
  }
}

TEST_CASE("a restored table draws the same sequence") {
  std::vector<double> weights(1000);
  Random source(2);
  for (double& w : weights) w = 0.001 + source.uniform();
  const LevelTable table = table_of(weights);
  LevelTable restored(weights.size());
  REQUIRE(restored.restore(table.levels(), table.lowest_key(), table.shift()));
  Random a(1);
  Random b(1);
  for (int i = 0; i < 10000; ++i) {
    const auto first = table.sample(a);
    const auto second = restored.sample(b);
    REQUIRE(first.attribute == second.attribute);
    REQUIRE(first.probability == second.probability);
  }
}

TEST_CASE("levels that stand for no weight are refused") {
  const LevelTable table = table_of({1, 2, 4});
  LevelTable restored(3);
  CHECK_FALSE(restored.restore(table.levels(), table.lowest_key(), 0));
  CHECK_FALSE(restored.restore(table.levels(), table.lowest_key(), 32));
  CHECK_FALSE(restored.restore(table.levels(), 0x7f7fffff, table.shift()));  // the largest float, and more
  CHECK_FALSE(restored.restore(table.levels(), 0xffffffff, table.shift()));
  CHECK_FALSE(restored.restore(std::vector<std::uint8_t>{0, 1}, table.lowest_key(), table.shift()));
  CHECK_FALSE(restored.built());
  CHECK(restored.restore(table.levels(), table.lowest_key(), table.shift()));
}

}  // namespace level_table_test
