#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace glimpse {

/// Draws from a fixed distribution over {0, …, n − 1} in O(1) with one random number (Walker 1977; built as
/// in Vose 1991). Memory: 24 bytes an item. Thread-safety: sample() may be called from several threads, each
/// with its own Random.
class AliasTable {
 public:
  AliasTable() = default;
  /// `weights`: finite, ≥ 0, not all 0; need not sum to 1. O(n), no allocation when rebuilt with no more
  /// items than before.
  void build(std::span<const double> weights);

  std::size_t size() const { return cells_.size(); }

  /// i with probability weights[i] / Σ weights, exact to 2^-53 / n. REQUIRES size() > 0.
  std::size_t sample(Random& random) const {
    const double position = random.uniform() * static_cast<double>(cells_.size());
    const auto i = static_cast<std::size_t>(position);
    return position - static_cast<double>(i) < cells_[i].threshold ? i : cells_[i].alias;
  }

 private:
  struct Cell {
    double threshold;  // the share of this cell that is the item's own
    std::uint32_t alias;
  };
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> work_;  // light items from the front, heavy ones from the back, while building
};

}  // namespace glimpse
