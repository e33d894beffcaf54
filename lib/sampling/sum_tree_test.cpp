#include "sampling/sum_tree.h"

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

namespace sum_tree_test {

using glimpse::Attribute;
using glimpse::Random;
using glimpse::SumTree;

TEST_CASE("draws follow the weights after changes, for sizes around the fan-out") {
  for (const std::size_t n : {1UL, 2UL, 7UL, 8UL, 9UL, 63UL, 64UL, 65UL, 513UL, 784UL}) {
    std::vector<double> weights(n, 0.0);
    const auto leaf = [&](std::size_t i) { return weights[i]; };
    SumTree tree(n);
    Random random(n);
    for (int round = 0; round < 20; ++round) {
      std::vector<Attribute> changed;
      for (std::size_t i = 0; i < n; ++i)
        if (random.uniform() < 0.3) changed.push_back(static_cast<Attribute>(i));
      for (const Attribute i : changed) weights[i] = random.uniform() < 0.3 ? 0 : random.uniform();
      tree.update(changed, leaf);
    }
    weights[n / 2] = 2;
    tree.update(std::vector<Attribute>{static_cast<Attribute>(n / 2)}, leaf);

    SumTree fresh(n);
    fresh.rebuild(leaf);
    CHECK(fresh.total() == tree.total());

    constexpr int kDraws = 100000;
    std::vector<int> seen(n);
    for (int i = 0; i < kDraws; ++i) ++seen[tree.sample(random, leaf)];
    for (std::size_t i = 0; i < n; ++i) {
      const double p = weights[i] / tree.total();
      REQUIRE(std::abs(seen[i] - kDraws * p) <= 5 * std::sqrt(kDraws * p * (1 - p)));
    }
  }
}

TEST_CASE("draws that are begun together are those begun one after another") {
  constexpr std::size_t kItems = 3000;
  Random random(3);
  std::vector<double> weights(kItems);
  for (double& weight : weights) weight = random.uniform() < 0.3 ? 0 : random.uniform();
  const auto leaf = [&](std::size_t i) { return weights[i]; };
  SumTree tree(kItems);
  tree.rebuild(leaf);
  Random one_by_one = Random::from_state(random.state());
  for (const std::size_t count : {0UL, 1UL, 5UL, 57UL}) {
    std::vector<SumTree::Descent> together(count);
    tree.begin_samples(random, together);
    for (const SumTree::Descent& descent : together)
      REQUIRE(tree.finish_sample(descent, leaf) == tree.sample(one_by_one, leaf));
  }
  CHECK(random.bits() == one_by_one.bits());
}

TEST_CASE("the total has no drift: a weight that went up and down leaves no trace") {
  std::vector<double> weights(100, 1e-9);
  const auto leaf = [&](std::size_t i) { return weights[i]; };
  SumTree tree(100);
  tree.rebuild(leaf);
  const double before = tree.total();
  for (int i = 0; i < 1000; ++i) {
    weights[50] = 1e12 * i;
    tree.update(std::vector<Attribute>{50}, leaf);
  }
  weights[50] = 1e-9;
  tree.update(std::vector<Attribute>{50}, leaf);
  CHECK(tree.total() == before);
}

TEST_CASE("an item of weight zero is never drawn even at the ends") {
  std::vector<double> weights{0, 0, 1e-300, 0};
  const auto leaf = [&](std::size_t i) { return weights[i]; };
  SumTree tree(4);
  tree.rebuild(leaf);
  Random random(1);
  for (int i = 0; i < 1000; ++i) REQUIRE(tree.sample(random, leaf) == 2);
}

}  // namespace sum_tree_test
