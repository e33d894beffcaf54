#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/large_array.h"

namespace glimpse {

/// A symmetric n × n matrix of doubles that keeps its upper triangle alone, row after row: 4n(n + 1) bytes.
/// Begins as zeros. Thread-safety: that of a plain array.
class PackedSymmetric {
 public:
  PackedSymmetric() = default;
  explicit PackedSymmetric(std::size_t n) : n_(n), cells_(n * (n + 1) / 2) {}

  std::size_t size() const { return n_; }
  double& at(std::size_t i, std::size_t j) { return cells_[index(i, j)]; }
  double at(std::size_t i, std::size_t j) const { return cells_[index(i, j)]; }

  /// The triangle: row 0 from its diagonal on, row 1 from its diagonal on, …
  LargeArray<double>& cells() { return cells_; }
  const LargeArray<double>& cells() const { return cells_; }

  /// y ← A x, n numbers each, not the same memory. Reads the triangle once: n² multiply-adds. The order of
  /// additions is fixed.
  void multiply(std::span<const double> x, std::span<double> y) const;

 private:
  std::size_t index(std::size_t i, std::size_t j) const {
    if (i > j) std::swap(i, j);
    return i * (2 * n_ - i + 1) / 2 + (j - i);
  }

  std::size_t n_ = 0;
  LargeArray<double> cells_;
};

}  // namespace glimpse
