#include "sampling/shrink_tree.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

namespace shrink_tree_test {

using namespace glimpse;

namespace {
constexpr std::size_t kSizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 255, 257, 784, 2049};

// Items of which three in ten are alive, changed in twenty rounds.
struct Items {
  auto leaf() const {
    return [this](std::size_t i) { return a[i]; };
  }
  explicit Items(std::size_t n) : tree(n), random(n), a(n, 0.0) {
    for (int round = 0; round < 20; ++round) {
      std::vector<Attribute> changed;
      for (std::size_t i = 0; i < n; ++i)
        if (random.uniform() < 0.3) changed.push_back(static_cast<Attribute>(i));
      for (const Attribute i : changed) a[i] = random.uniform() < 0.7 ? 0 : 1 + random.uniform();
      update(changed);
    }
    a[n / 2] = 2;
    update({static_cast<Attribute>(n / 2)});
  }
  void update(const std::vector<Attribute>& changed) { tree.update(changed, leaf()); }

  ShrinkTree tree;
  Random random;
  std::vector<double> a;
};
}  // namespace

TEST_CASE("sum, count and smallest are those of the items alive, and a rebuilt tree has the same bits") {
  for (const std::size_t n : kSizes) {
    const Items items(n);
    double sum = 0;
    double smallest = 10;
    std::size_t first = 0;
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (items.a[i] == 0) continue;
      sum += items.a[i];
      ++count;
      if (items.a[i] < smallest) first = i;
      smallest = std::min(smallest, items.a[i]);
    }
    CHECK(items.tree.count() == count);
    CHECK(items.tree.smallest() == smallest);
    CHECK(items.tree.find_smallest(items.leaf()) == first);
    CHECK(items.tree.sum() == doctest::Approx(sum).epsilon(1e-14));
    CHECK(items.tree.total(0.5) == doctest::Approx(sum - 0.5 * count).epsilon(1e-13));
    ShrinkTree fresh(n);
    CHECK(fresh.count() == 0);
    CHECK(fresh.total(0) == 0);
    fresh.rebuild(items.leaf());
    CHECK(fresh.sum() == items.tree.sum());
    CHECK(fresh.smallest() == smallest);
  }
}

TEST_CASE("draws follow a_i − T of the items alive") {
  for (const std::size_t n : kSizes) {
    Items items(n);
    constexpr int kDraws = 100000;
    constexpr double kThreshold = 0.9;
    std::vector<int> seen(n);
    for (int i = 0; i < kDraws; ++i) ++seen[items.tree.sample(items.random, kThreshold, items.leaf())];
    for (std::size_t i = 0; i < n; ++i) {
      const double p = items.a[i] > 0 ? (items.a[i] - kThreshold) / items.tree.total(kThreshold) : 0;
      REQUIRE(std::abs(seen[i] - kDraws * p) <= 5 * std::sqrt(kDraws * p * (1 - p)));
    }
  }
}

TEST_CASE("visiting the items alive meets each once, in order, and takes up what it does to them") {
  for (const std::size_t n : kSizes) {
    Items items(n);
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < n; ++i)
      if (items.a[i] > 0) expected.push_back(i);
    std::vector<std::size_t> visited;
    items.tree.visit_alive(
        [&](std::size_t i) {
          visited.push_back(i);
          items.a[i] = i % 2 == 0 ? items.a[i] - 0.5 : 0;
        },
        items.leaf());
    CHECK(visited == expected);
    ShrinkTree fresh(n);
    fresh.rebuild(items.leaf());
    CHECK(fresh.sum() == items.tree.sum());
    CHECK(fresh.count() == items.tree.count());
    CHECK(fresh.smallest() == items.tree.smallest());
  }
}

// With T the number next below every item, sums less n·T are rounding error: a node may have a share and its
// children none.
TEST_CASE("a draw ends at an item alive even where rounding has taken the shares") {
  Random random(1);
  std::vector<double> a(300);
  const auto leaf = [&](std::size_t i) { return a[i]; };
  ShrinkTree tree(a.size());
  int drawn = 0;
  for (int round = 0; round < 2000; ++round) {
    const double threshold = random.uniform();
    const double density = random.uniform();
    for (double& value : a) value = random.uniform() < density ? std::nextafter(threshold, 1.0) : 0;
    tree.rebuild(leaf);
    if (tree.total(threshold) <= 0) continue;
    ++drawn;
    for (int n = 0; n < 20; ++n) REQUIRE(a[tree.sample(random, threshold, leaf)] > 0);
  }
  CHECK(drawn > 100);
}

}  // namespace shrink_tree_test
