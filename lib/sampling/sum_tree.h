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
/// A tree of fan-out 8 that stores inner nodes only, 1.15 bytes an item; the items' weights are computed
/// where they are needed from whatever the owner keeps anyway, by a function `leaf(i)` → weight ≥ 0 that
/// every call is given:
///
///     level 1 (top)        [ Σ ]
///     level 0        [ Σ ][ Σ ] … [ Σ ]        one node for 8 items
///     leaf(i)      w0 … w7  w8 …              not stored
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
      nodes = (nodes + kFan - 1) / kFan;
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

  /// The weights of `items` (strictly ascending) have changed: recomputes the nodes above them, each once.
  template <class Leaf>
  void update(std::span<const Attribute> items, const Leaf& leaf) {
    std::size_t previous = static_cast<std::size_t>(-1);
    dirty_.clear();
    for (const Attribute item : items) {
      const std::size_t node = item / kFan;
      if (node == previous) continue;
      previous = node;
      levels_[0][node] = sum_leaves(node, leaf);
      dirty_.push_back(node);
    }
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      previous = static_cast<std::size_t>(-1);
      std::size_t kept = 0;
      for (const std::size_t child : dirty_) {
        const std::size_t node = child / kFan;
        if (node == previous) continue;
        previous = node;
        levels_[level][node] = sum_nodes(level, node);
        dirty_[kept++] = node;
      }
      dirty_.resize(kept);
    }
  }

  /// The sum of all weights.
  double total() const { return levels_.empty() ? 0 : levels_.back()[0]; }

  /// Item i with probability leaf(i) / total(). REQUIRES total() > 0. An item of weight 0 is never drawn.
  template <class Leaf>
  std::size_t sample(Random& random, const Leaf& leaf) const {
    double rest = random.uniform() * total();
    std::size_t node = 0;
    for (std::size_t level = levels_.size() - 1; level > 0; --level) {
      const LargeArray<double>& below = levels_[level - 1];
      node = descend(rest, node * kFan, below.size(), [&](std::size_t child) { return below[child]; });
    }
    return descend(rest, node * kFan, n_, leaf);
  }

  /// Brings near what update() of `item` will read.
  void prefetch_path(Attribute item) const {
    std::size_t node = item;
    for (std::size_t level = 0; level < levels_.size() && levels_[level].size() > kFan; ++level) {
      node /= kFan;
      prefetch(&levels_[level][node]);
    }
  }

  std::size_t memory_bytes() const {
    std::size_t bytes = sizeof *this;
    for (const auto& level : levels_) bytes += level.size() * sizeof(double);
    return bytes;
  }

 private:
  static constexpr std::size_t kFan = 8;

  template <class Leaf>
  double sum_leaves(std::size_t node, const Leaf& leaf) const {
    const std::size_t begin = node * kFan;
    const std::size_t end = begin + kFan < n_ ? begin + kFan : n_;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += leaf(i);
    return sum;
  }

  double sum_nodes(std::size_t level, std::size_t node) const {
    const LargeArray<double>& below = levels_[level - 1];
    const std::size_t begin = node * kFan;
    const std::size_t end = begin + kFan < below.size() ? begin + kFan : below.size();
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += below[i];
    return sum;
  }

  // The child in whose share `rest` falls; takes the shares before it off `rest`. Where rounding leads past
  // the end, the last child with any weight.
  template <class Value>
  static std::size_t descend(double& rest, std::size_t begin, std::size_t limit, const Value& value) {
    const std::size_t end = begin + kFan < limit ? begin + kFan : limit;
    std::size_t chosen = begin;
    double chosen_rest = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double share = value(i);
      if (share <= 0) continue;
      chosen = i;
      chosen_rest = rest;
      if (rest < share) break;
      rest -= share;
    }
    rest = chosen_rest;
    return chosen;
  }

  std::size_t n_ = 0;
  std::vector<LargeArray<double>> levels_;
  std::vector<std::size_t> dirty_;
};

}  // namespace glimpse
