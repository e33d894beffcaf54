#include "learn/apple/parent_tree.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <vector>

#include "base/random.h"

namespace parent_tree_test {

using namespace glimpse;

namespace {

using Tuple = std::vector<Attribute>;

Tuple factors_of(const ParentTree& tree, std::uint32_t slot) {
  const auto factors = tree.monomials().factors(slot);
  return {factors.begin(), factors.end()};
}

Tuple times(Tuple tuple, Attribute i) {
  tuple.insert(std::upper_bound(tuple.begin(), tuple.end(), i), i);
  return tuple;
}

// S of Algorithm 1 written out: every attribute, and every product with a parent, as a set.
struct NaiveTree {
  std::size_t attributes;
  std::set<Tuple> features;
  std::set<Attribute> idempotent;

  explicit NaiveTree(std::size_t d) : attributes(d) {
    for (Attribute i = 0; i < d; ++i) features.insert({i});
  }
  void make_parent(const Tuple& parent) {
    for (Attribute i = 0; i < attributes; ++i) {
      const bool is_new = !std::ranges::binary_search(parent, i) || !idempotent.contains(i);
      if (is_new) features.insert(times(parent, i));
    }
  }
  std::map<Tuple, double> of(const std::vector<double>& x) const {
    std::map<Tuple, double> values;
    for (const Tuple& feature : features) {
      double product = 1;
      for (const Attribute i : feature) product *= x[i];
      if (product != 0) values[feature] = product;
    }
    return values;
  }
};

std::vector<Entry> entries_of(const std::vector<double>& x) {
  std::vector<Entry> entries;
  for (Attribute i = 0; i < x.size(); ++i)
    if (x[i] != 0) entries.push_back({i, x[i]});
  return entries;
}

// Powers of two: products are exact in any order.
std::vector<double> draw(Random& random, std::size_t d, const std::set<Attribute>& idempotent) {
  std::vector<double> x(d);
  for (Attribute i = 0; i < d; ++i) {
    if (random.uniform() < 0.4) continue;
    x[i] = idempotent.contains(i)
               ? 1
               : std::ldexp(random.uniform() < 0.5 ? -1 : 1, static_cast<int>(random.below(5)) - 2);
  }
  return x;
}

}  // namespace

TEST_CASE("an example's features are those of all monomials with its parents written out, each once") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    constexpr std::size_t kDimension = 6;
    Random random(seed);
    ParentTree tree(kDimension, 100000);
    NaiveTree naive(kDimension);
    if (seed % 2 == 0) naive.idempotent = {1, 4};
    std::vector<FeatureValue> features;
    for (int t = 0; t < 120; ++t) {
      const std::vector<double> x = draw(random, kDimension, naive.idempotent);
      tree.expand(entries_of(x), features);
      const auto expected = naive.of(x);
      REQUIRE(features.size() == expected.size());
      std::map<Tuple, double> found;
      for (const FeatureValue& feature : features) found[factors_of(tree, feature.slot)] = feature.value;
      REQUIRE(found == expected);  // as many, and so each once
      std::vector<FeatureValue> known;
      tree.expand_known(entries_of(x), known);
      REQUIRE(known.size() == features.size());
      for (std::size_t k = 0; k < known.size(); ++k) REQUIRE(known[k].slot == features[k].slot);
      if (t % 10 != 9) continue;
      const auto slot = static_cast<std::uint32_t>(random.below(tree.slots()));
      if (!tree.may_be_parent(slot)) continue;
      tree.make_parent(slot, [&](Attribute i) { return naive.idempotent.contains(i); });
      naive.make_parent(factors_of(tree, slot));
    }
    CHECK(tree.parents().size() > 5);
  }
}

TEST_CASE("a question makes no product, and its entries may come in any order") {
  ParentTree tree(4, 100);
  tree.make_parent(2, [](Attribute) { return false; });
  std::vector<FeatureValue> features;
  tree.expand_known(std::vector<Entry>{{3, 1.0}, {2, 5.0}}, features);
  CHECK(features.size() == 2);
  CHECK(tree.monomials().products() == 0);
  tree.expand(std::vector<Entry>{{2, 5.0}, {3, 2.0}}, features);
  CHECK(features.size() == 4);
  tree.expand_known(std::vector<Entry>{{3, 2.0}, {2, 5.0}}, features);
  double sum = 0;
  for (const FeatureValue& feature : features) sum += feature.value;
  CHECK(sum == 2 + 5 + 10 + 25);
}

TEST_CASE("what is walked over depends on the example alone, not on the number of attributes") {
  const std::vector<Entry> entries{{3, 1.0}, {8, 2.0}, {9, -1.0}};
  std::vector<std::vector<FeatureValue>> all;
  for (const std::size_t dimension : {std::size_t{10}, std::size_t{100000000}}) {
    ParentTree tree(dimension, 1000);
    for (const std::uint32_t parent : {8U, 3U, 5U}) tree.make_parent(parent, [](Attribute) { return false; });
    std::vector<FeatureValue> features;
    tree.expand(entries, features);
    CHECK(features.size() == 3 + 3 + 2);  // with 8: 3, 8 and 9; with 3: 3 and 9; 5 is not there
    CHECK(tree.monomials().products() == 5);
    CHECK(tree.monomials().memory_bytes() < 10000);
    all.push_back(features);
  }
  for (std::size_t k = 0; k < all[0].size(); ++k) CHECK(all[0][k].value == all[1][k].value);
}

TEST_CASE("a product beyond what a double holds well counts as 0") {
  ParentTree tree(2, 10);
  tree.make_parent(0, [](Attribute) { return false; });
  std::vector<FeatureValue> features;
  tree.expand(std::vector<Entry>{{0, 1e200}, {1, 1.0}}, features);
  CHECK(features.size() == 3);
  tree.expand(std::vector<Entry>{{0, 1e-200}, {1, 1e-200}}, features);
  CHECK(features.size() == 2);
}

TEST_CASE("a tree that was kept goes on to the same slots, closed ways included") {
  Random random(3);
  ParentTree tree(8, 60);
  const std::set<Attribute> idempotent{2, 5};
  std::vector<FeatureValue> features;
  const auto grow = [&](ParentTree& by, Random& draws, int examples) {
    for (int t = 0; t < examples; ++t) {
      by.expand(entries_of(draw(draws, 8, idempotent)), features);
      const auto slot = static_cast<std::uint32_t>(draws.below(by.slots()));
      if (t % 20 == 19 && by.may_be_parent(slot))
        by.make_parent(slot, [&](Attribute i) { return idempotent.contains(i); });
    }
  };
  const auto kept = [](const ParentTree& of) {
    State state;
    state.begin();
    of.save(state);
    state.finish();
    return state;
  };
  grow(tree, random, 150);
  ParentTree same(8, 60);
  REQUIRE(same.restore(kept(tree)).has_value());
  Random also = Random::from_state(random.state());
  grow(tree, random, 200);
  grow(same, also, 200);
  const State a = kept(tree);
  const State b = kept(same);
  REQUIRE(a.tensors().size() == b.tensors().size());
  for (std::size_t k = 0; k < a.tensors().size(); ++k) CHECK(a.tensors()[k].bytes == b.tensors()[k].bytes);
  CHECK(tree.monomials().lacking() > 0);
}

}  // namespace parent_tree_test
