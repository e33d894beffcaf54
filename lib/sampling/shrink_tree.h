#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "base/random.h"
#include "base/types.h"

namespace glimpse {

/// A tree of n items of weight a_i − T, where T ≥ 0 is taken off every item that is alive at once. It knows
/// the sum of the weights, draws an item in proportion to its weight, and finds the smallest, each in O(log
/// n) whatever T is. Soft-thresholding, which moves all non-zeros, so becomes a change of one number and the
/// removal of the items that reach zero.
///
/// Inner nodes alone are stored, each with the sum, the smallest and the number of the a_i below it that are
/// alive: 6.9 bytes an item. The a_i come from whatever the owner keeps anyway, by a function `leaf(i)` → a_i
/// that every call is given; 0 says that the item is not alive, and of those alive a_i > T.
///
/// A node is always recomputed from its children in a fixed order, never adjusted by a difference: no drift
/// on long streams, and a tree rebuilt from restored items is the same to the bit. Thread-safety: none.
class ShrinkTree {
 public:
  ShrinkTree() = default;
  /// n ≥ 1 items, none alive.
  explicit ShrinkTree(std::size_t n) : n_(n) {
    std::size_t nodes = n;
    do {
      nodes = (nodes + fan(levels_.size()) - 1) / fan(levels_.size());
      levels_.emplace_back(nodes);
      for (Node& node : levels_.back()) node = Node();
    } while (nodes > 1);
  }

  std::size_t size() const { return n_; }

  /// Of the items alive: Σ a_i, how many, and the smallest a_i (infinite when there are none).
  double sum() const { return root().sum; }
  std::uint32_t count() const { return root().count; }
  double smallest() const { return root().smallest; }
  /// Σ (a_i − T).
  double total(double threshold) const { return root().weight(threshold); }

  /// Recomputes every node. O(n).
  template <class Leaf>
  void rebuild(const Leaf& leaf) {
    for (std::size_t level = 0; level < levels_.size(); ++level)
      for (std::size_t node = 0; node < levels_[level].size(); ++node) recompute(level, node, leaf);
  }

  /// `items` (ascending) have changed: recomputes the nodes above them, each once.
  template <class Leaf>
  void update(std::span<const Attribute> items, const Leaf& leaf) {
    dirty_.assign(items.begin(), items.end());
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      std::size_t kept = 0;
      for (const std::size_t child : dirty_) {
        const std::size_t node = child / fan(level);
        if (kept > 0 && dirty_[kept - 1] == node) continue;
        recompute(level, node, leaf);
        dirty_[kept++] = node;
      }
      dirty_.resize(kept);
    }
  }

  /// The first item whose a_i is smallest(). REQUIRES count() > 0.
  template <class Leaf>
  Attribute find_smallest(const Leaf& leaf) const {
    const double wanted = smallest();
    std::size_t place = 0;
    for (std::size_t level = levels_.size(); level-- > 0;) {
      place *= fan(level);
      while ((level == 0 ? leaf(place) : levels_[level - 1][place].smallest) != wanted) ++place;
    }
    return static_cast<Attribute>(place);
  }

  /// Item i with probability (a_i − T)/total(T). REQUIRES total(T) > 0.
  template <class Leaf>
  Attribute sample(Random& random, double threshold, const Leaf& leaf) const {
    double rest = random.uniform() * total(threshold);
    std::size_t place = 0;
    for (std::size_t level = levels_.size(); level-- > 0;) {
      const std::size_t begin = place * fan(level);
      const std::size_t end = end_of(level, begin);
      double before = 0;
      double sum = 0;
      // The child in whose share `rest` falls; where rounding led past the last share, or took all shares
      // away, one that is alive.
      place = end;
      for (std::size_t child = begin; child < end; ++child) {
        const double a = level == 0 ? leaf(child) : levels_[level - 1][child].sum;
        if (a <= 0) continue;
        const double share = level == 0 ? a - threshold : levels_[level - 1][child].weight(threshold);
        if (share <= 0 && place < end) continue;
        place = child;
        before = sum;
        sum += share;
        if (rest < sum) break;
      }
      rest -= before;
    }
    return static_cast<Attribute>(place);
  }

  /// Calls visit(i) for every item alive, in ascending order, which may change a_i, and recomputes the nodes.
  /// O(min(n, count·log n)): parts without life are passed over.
  template <class Visit, class Leaf>
  void visit_alive(const Visit& visit, const Leaf& leaf) {
    if (count() > 0) visit_below(levels_.size() - 1, 0, visit, leaf);
  }

  void prefetch_path(Attribute item) const {
    std::size_t node = item;
    for (std::size_t level = 0; level < levels_.size() && levels_[level].size() > kFan; ++level) {
      node /= fan(level);
      prefetch(&levels_[level][node]);
    }
  }

  std::size_t memory_bytes() const {
    std::size_t bytes = sizeof *this;
    for (const auto& level : levels_) bytes += level.size() * sizeof(Node);
    return bytes;
  }

 private:
  // As in SumTree: fewer items than nodes share a parent, because an item costs more to have than a node.
  static constexpr std::size_t kFan = 8;
  static constexpr std::size_t kLeafFan = 4;
  static constexpr std::size_t fan(std::size_t level) { return level == 0 ? kLeafFan : kFan; }

  struct Node {
    double sum = 0;
    double smallest = std::numeric_limits<double>::infinity();
    std::uint32_t count = 0;
    std::uint32_t unused = 0;

    // Each item alive is above T; only rounding can take their sum below count·T.
    double weight(double threshold) const {
      const double difference = sum - threshold * count;
      return difference > 0 ? difference : 0;
    }
    void add(const Node& other) {
      sum += other.sum;
      smallest = other.smallest < smallest ? other.smallest : smallest;
      count += other.count;
    }
  };

  Node root() const { return levels_.empty() ? Node() : levels_.back()[0]; }

  // One past the last child of a node of `level` whose children begin at `begin`.
  std::size_t end_of(std::size_t level, std::size_t begin) const {
    const std::size_t limit = level == 0 ? n_ : levels_[level - 1].size();
    return begin + fan(level) < limit ? begin + fan(level) : limit;
  }

  template <class Leaf>
  void recompute(std::size_t level, std::size_t node, const Leaf& leaf) {
    const std::size_t begin = node * fan(level);
    const std::size_t end = end_of(level, begin);
    Node result;
    for (std::size_t child = begin; child < end; ++child) {
      if (level > 0) {
        result.add(levels_[level - 1][child]);
      } else if (const double a = leaf(child); a > 0) {
        result.add({a, a, 1, 0});
      }
    }
    levels_[level][node] = result;
  }

  template <class Visit, class Leaf>
  void visit_below(std::size_t level, std::size_t node, const Visit& visit, const Leaf& leaf) {
    const std::size_t begin = node * fan(level);
    const std::size_t end = end_of(level, begin);
    for (std::size_t child = begin; child < end; ++child) {
      if (level > 0) {
        if (levels_[level - 1][child].count > 0) visit_below(level - 1, child, visit, leaf);
      } else if (leaf(child) > 0) {
        visit(child);
      }
    }
    recompute(level, node, leaf);
  }

  std::size_t n_ = 0;
  std::vector<LargeArray<Node>> levels_;
  std::vector<std::size_t> dirty_;
};

}  // namespace glimpse
