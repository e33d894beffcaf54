#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "base/random.h"
#include "base/types.h"

namespace glimpse {

/// Draws from a distribution over n items whose weights change, in O(log n) for a draw and for a change.
///
/// A tree that stores inner nodes only, 2.3 bytes an item. The items' weights come from whatever the owner
/// keeps anyway, by a function `leaf(i)` → weight ≥ 0 that every call is given:
///
///     level 1 (top)        [ Σ ]                         one node for 8 nodes
///     level 0        [ Σ ]       [ Σ ]   …               one node for 4 items
///     leaf(i)      w0 … w3      w4 … w7                  not stored
///
/// Fewer items than nodes share a parent, because an item's weight costs more to have than a node's. With 8
/// items a step of two-phase-ddaerr took 6 % longer at K = 5 and 15 % at K = 57 (d = 784).
///
/// A node is always recomputed from its children in a fixed order, never adjusted by a difference: no drift
/// on long streams, and a tree rebuilt from restored weights is the same to the bit. Thread-safety: none.
class SumTree {
 public:
  SumTree() = default;
  /// n ≥ 1 items, all of weight 0.
  explicit SumTree(std::size_t n) : n_(n) {
    std::size_t nodes = n;
    do {
      const std::size_t fan = levels_.empty() ? kLeafFan : kFan;
      nodes = (nodes + fan - 1) / fan;
      levels_.emplace_back(nodes);
    } while (nodes > 1);
  }

  std::size_t size() const { return n_; }

  /// Recomputes every node. O(n).
  template <class Leaf>
  void rebuild(const Leaf& leaf) {
    for (std::size_t node = 0; node < levels_[0].size(); ++node) levels_[0][node] = sum_leaves(node, leaf);
    for (std::size_t level = 1; level < levels_.size(); ++level)
      for (std::size_t node = 0; node < levels_[level].size(); ++node)
        levels_[level][node] = sum_nodes(level, node);
  }

  /// The weights of `items` (strictly ascending) have changed: recomputes the nodes above them.
  template <class Leaf>
  void update(std::span<const Attribute> items, const Leaf& leaf) {
    if (dirty_.size() < items.size()) dirty_.resize(items.size());
    std::size_t count = 0;
    std::size_t previous = static_cast<std::size_t>(-1);
    for (const Attribute item : items) {
      const std::size_t node = item / kLeafFan;
      if (node == previous) continue;
      previous = node;
      levels_[0][node] = sum_leaves(node, leaf);
      dirty_[count++] = node;
    }
    for (std::size_t level = 1; level < levels_.size(); ++level) count = sum_above(level, count);
  }

  /// The sum of all weights.
  double total() const { return levels_.empty() ? 0 : levels_.back()[0]; }

  /// A draw that has found the few items among which it falls. Valid until the tree changes.
  struct Descent {
    std::size_t group;  // of kLeafFan items
    double rest;
    std::size_t first_item() const { return group * kLeafFan; }
  };

  /// The first half of a draw, through the nodes. Several draws begun before the first is finished let their
  /// items' memory be fetched meanwhile. REQUIRES total() > 0.
  Descent begin_sample(Random& random) const {
    Descent descent;
    begin_samples(random, {&descent, 1});
    return descent;
  }
  /// As many as there is room for, as begin_sample() after begin_sample() would. They go down level by level
  /// together: a step of one waits for the step before it, and the processor takes those of others meanwhile.
  void begin_samples(Random& random, std::span<Descent> descents) const {
    for (Descent& descent : descents) descent = {0, random.uniform() * total()};
    for (std::size_t level = levels_.size() - 1; level > 0; --level) {
      const std::span<const double> below = levels_[level - 1];
      for (Descent& descent : descents)
        descent.group = descend<kFan>(descent.rest, descent.group * kFan, below.size(),
                                      [&](std::size_t child) { return below[child]; });
    }
  }

  /// The second half: item i with probability leaf(i) / total(). An item of weight 0 is never drawn.
  template <class Leaf>
  std::size_t finish_sample(Descent descent, const Leaf& leaf) const {
    return descend<kLeafFan>(descent.rest, descent.first_item(), n_, leaf);
  }

  /// A whole draw.
  template <class Leaf>
  std::size_t sample(Random& random, const Leaf& leaf) const {
    return finish_sample(begin_sample(random), leaf);
  }

  /// Brings near what update() of `item` will read.
  void prefetch_path(Attribute item) const {
    std::size_t node = item / kLeafFan;
    for (std::size_t level = 0; level < levels_.size() && levels_[level].size() > kFan; ++level) {
      prefetch(&levels_[level][node]);
      node /= kFan;
    }
  }

  std::size_t memory_bytes() const {
    std::size_t bytes = sizeof *this;
    for (const auto& level : levels_) bytes += level.size() * sizeof(double);
    return bytes;
  }

 private:
  static constexpr std::size_t kFan = 8;
  static constexpr std::size_t kLeafFan = 4;

  template <class Leaf>
  double sum_leaves(std::size_t node, const Leaf& leaf) const {
    const std::size_t begin = node * kLeafFan;
    const std::size_t end = begin + kLeafFan < n_ ? begin + kLeafFan : n_;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += leaf(i);
    return sum;
  }

  double sum_nodes(std::size_t level, std::size_t node) const {
    const std::span<const double> below = levels_[level - 1];
    const std::size_t begin = node * kFan;
    double sum = 0;
    if (begin + kFan <= below.size()) {
      const double* const children = below.data() + begin;
      for (std::size_t i = 0; i < kFan; ++i) sum += children[i];
      return sum;
    }
    for (std::size_t i = begin; i < below.size(); ++i) sum += below[i];
    return sum;
  }

  // Recomputes the parents, in `level`, of the first `count` dirty_ nodes, which dirty_ then has in their
  // place; how many they are. Which of them share a parent cannot be predicted, so that is computed again for
  // each: without a branch the sums of one level overlap.
  std::size_t sum_above(std::size_t level, std::size_t count) {
    LargeArray<double>& nodes = levels_[level];
    std::size_t kept = 0;
    std::size_t previous = static_cast<std::size_t>(-1);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t node = dirty_[k] / kFan;
      nodes[node] = sum_nodes(level, node);
      kept -= node == previous ? 1 : 0;
      dirty_[kept++] = node;
      previous = node;
    }
    return kept;
  }

  // The child in whose share `rest` falls; takes the shares before it off `rest`. Which child that is cannot
  // be predicted, so the whole family is added up without a branch, and several draws overlap in the
  // processor.
  template <std::size_t kShares, class Value>
  static std::size_t descend(double& rest, std::size_t begin, std::size_t limit, const Value& value) {
    if (begin + kShares > limit) return descend_carefully<kShares>(rest, begin, limit, value);
    double sum = 0;
    double before = 0;
    std::size_t child = 0;
    for (std::size_t i = 0; i < kShares; ++i) {
      sum += value(begin + i);
      const bool passed = rest >= sum;
      child += passed ? 1 : 0;
      before = passed ? sum : before;
    }
    if (child == kShares) return descend_carefully<kShares>(rest, begin, limit, value);
    rest -= before;
    return begin + child;
  }

  // The same for a family cut short by the end, and where rounding led past the last share: then the last
  // child with any weight.
  template <std::size_t kShares, class Value>
  static std::size_t descend_carefully(double& rest, std::size_t begin, std::size_t limit,
                                       const Value& value) {
    const std::size_t end = begin + kShares < limit ? begin + kShares : limit;
    double sum = 0;
    std::size_t chosen = begin;
    double before = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double share = value(i);
      if (share <= 0) continue;
      chosen = i;
      before = sum;
      sum += share;
      if (rest < sum) break;
    }
    rest -= before;
    return chosen;
  }

  std::size_t n_ = 0;
  std::vector<LargeArray<double>> levels_;
  std::vector<std::size_t> dirty_;  // of a level, while its parents are recomputed
};

}  // namespace glimpse
