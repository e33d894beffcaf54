#include <benchmark/benchmark.h>
#include <cmath>
#include <vector>

#include "base/large_array.h"
#include "sampling/level_table.h"
#include "sampling/sum_tree.h"

// What a draw costs, and what a table costs to build, for d = 10³ … 10⁷ weights that range over two decades.

namespace glimpse {
namespace {

LargeArray<double> spread_weights(std::size_t size) {
  Random random(1);
  LargeArray<double> weights(size);
  for (double& weight : weights) weight = std::pow(10, -2 * random.uniform());
  return weights;
}

void alias_sample(benchmark::State& state) {
  const auto weights = spread_weights(static_cast<std::size_t>(state.range(0)));
  AliasTable table;
  table.build(weights);
  Random random(2);
  for (auto _ : state) benchmark::DoNotOptimize(table.sample(random));
}

void alias_build(benchmark::State& state) {
  const auto weights = spread_weights(static_cast<std::size_t>(state.range(0)));
  AliasTable table;
  for (auto _ : state) table.build(weights);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void level_sample(benchmark::State& state) {
  const auto weights = spread_weights(static_cast<std::size_t>(state.range(0)));
  LevelTable table(weights.size());
  table.build([&](std::size_t i) { return weights[i]; });
  Random random(2);
  for (auto _ : state) benchmark::DoNotOptimize(table.sample(random));
}

void level_build(benchmark::State& state) {
  const auto weights = spread_weights(static_cast<std::size_t>(state.range(0)));
  LevelTable table(weights.size());
  for (auto _ : state) table.build([&](std::size_t i) { return weights[i]; });
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void tree_sample(benchmark::State& state) {
  const auto weights = spread_weights(static_cast<std::size_t>(state.range(0)));
  const auto leaf = [&](std::size_t i) { return weights[i]; };
  SumTree tree(weights.size());
  tree.rebuild(leaf);
  Random random(2);
  for (auto _ : state) benchmark::DoNotOptimize(tree.sample(random, leaf));
}

// One changed weight a call; learners change K at once and share the upper nodes.
void tree_update(benchmark::State& state) {
  auto weights = spread_weights(static_cast<std::size_t>(state.range(0)));
  const auto leaf = [&](std::size_t i) { return weights[i]; };
  SumTree tree(weights.size());
  tree.rebuild(leaf);
  Random random(2);
  for (auto _ : state) {
    const auto item = static_cast<Attribute>(random.below(weights.size()));
    weights[item] = random.uniform();
    tree.update(std::span(&item, 1), leaf);
  }
}

BENCHMARK(alias_sample)->ArgName("d")->RangeMultiplier(10)->Range(1000, 10'000'000);
BENCHMARK(level_sample)->ArgName("d")->RangeMultiplier(10)->Range(1000, 10'000'000);
BENCHMARK(tree_sample)->ArgName("d")->RangeMultiplier(10)->Range(1000, 10'000'000);
BENCHMARK(tree_update)->ArgName("d")->RangeMultiplier(10)->Range(1000, 10'000'000);
BENCHMARK(alias_build)->ArgName("d")->RangeMultiplier(100)->Range(1000, 10'000'000);
BENCHMARK(level_build)->ArgName("d")->RangeMultiplier(100)->Range(1000, 10'000'000);

}  // namespace
}  // namespace glimpse
