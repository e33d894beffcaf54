#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace glimpse {

/// Labelled examples with every attribute, in memory: n rows of d floats and n labels. 4·d + 8 bytes an
/// example. Thread-safety: that of a value type; the lab's threads share one without changing it.
struct DenseSet {
  std::size_t dimension = 0;   ///< d
  std::vector<float> values;   ///< n·d, row after row
  std::vector<double> labels;  ///< n

  std::size_t size() const { return labels.size(); }
  std::span<const float> row(std::size_t i) const {
    return std::span(values).subspan(i * dimension, dimension);
  }
  std::span<float> row(std::size_t i) { return std::span(values).subspan(i * dimension, dimension); }

  void append(std::span<const float> row, double label) {
    values.insert(values.end(), row.begin(), row.end());
    labels.push_back(label);
  }
};

/// Indices of rows, in the order in which a learner meets them.
using RowOrder = std::vector<std::uint32_t>;

/// 0 … n − 1.
RowOrder natural_order(std::size_t n);
/// 0 … n − 1 in random order (Fisher–Yates), the same for the same `random`. O(n).
RowOrder shuffled_order(std::size_t n, Random& random);

/// The rows named, copied.
DenseSet select_rows(const DenseSet& set, std::span<const std::uint32_t> rows);

}  // namespace glimpse
