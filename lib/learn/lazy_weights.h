#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/double_double.h"
#include "base/large_array.h"
#include "base/state.h"

namespace glimpse {

/// The iterates w_t of gradient descent and their plain average w̄ = (w_1 + … + w_T)/T, of which a step may
/// change a few coordinates and the scale of all, in time proportional to the coordinates changed.
///
///   w = s·u                        the projection onto a ball multiplies s alone
///   Σ_τ w_τ,i = u_i·S − c_i        S = Σ s_τ; when u_i changes by δ, c_i changes by δ·S, so that the past
///   stays what it was ‖w‖² = s²·N                    N = Σ (metric_i u_i)² is carried along in twice the
///   precision of a double
///
/// S·u − c cancels when s has shrunk much since S began, so every 2⁶-fold shrinking the sums are folded into
/// c and s is brought back to about 1 by an exact power of two: O(d), once in the many steps that so much
/// shrinking takes. With the theory's η one step shrinks s by about 2/m in the mean, so a whole stream of m
/// examples takes none or one. Memory: 16 bytes a coordinate. Thread-safety: none.
class LazyWeights {
 public:
  LazyWeights() = default;
  explicit LazyWeights(std::size_t size) : cells_(size) {}

  std::size_t size() const { return cells_.size(); }

  double weight(std::size_t i) const { return scale_ * cells_[i].u; }
  /// w_i / s: proportional to the weight, with the same factor for every coordinate; a projection changes it
  /// only when it says so.
  double unscaled(std::size_t i) const { return cells_[i].u; }

  /// Counts the present iterate into the average. Once an example, before the step.
  void count_iterate() {
    scale_sum_ += scale_;
    ++iterates_;
  }

  /// w_i ← value. The norm takes w_i in a metric: (metric·w_i)²; the metric may change with the value.
  void set(std::size_t i, double value, double old_metric, double new_metric) {
    Cell& cell = cells_[i];
    const double u = value / scale_;
    norm_.add_square(old_metric * cell.u, -1);
    norm_.add_square(new_metric * u, +1);
    cell.c += (u - cell.u) * scale_sum_;
    cell.u = u;
  }

  /// ‖w‖₂ in the metric.
  double norm() const {
    const double square = norm_.value();
    return square > 0 ? scale_ * std::sqrt(square) : 0;
  }

  /// w ← w·B/max(‖w‖, B) (KS15, Algorithm 1). Whether the sums were folded: then every unscaled() has
  /// changed.
  bool project(double radius) {
    const double length = norm();
    if (length <= radius) return false;
    scale_ *= radius / length;
    if (scale_ >= kSmallestScale) return false;
    fold();
    return true;
  }

  /// w̄_i; the present weight when nothing was counted yet.
  double averaged(std::size_t i) const {
    if (iterates_ == 0) return weight(i);
    return (cells_[i].u * scale_sum_ - cells_[i].c) / static_cast<double>(iterates_);
  }
  std::uint64_t iterates() const { return iterates_; }

  /// w ← w̄, and averaging begins anew. metric(i) as in set(). O(d).
  template <class Metric>
  void restart_from_average(const Metric& metric) {
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] = {averaged(i), 0};
    scale_ = 1;
    scale_sum_ = 0;
    iterates_ = 0;
    norm_ = DoubleDouble();
    for (std::size_t i = 0; i < cells_.size(); ++i) norm_.add_square(metric(i) * cells_[i].u, +1);
  }

  void prefetch_coordinate(std::size_t i) const { prefetch(&cells_[i]); }
  std::size_t memory_bytes() const { return cells_.size() * sizeof(Cell); }

  void save(State& state) const;
  Status restore(const State& state);

 private:
  static constexpr double kSmallestScale = 0x1p-6;

  struct Cell {
    double u;
    double c;
  };

  void fold();

  LargeArray<Cell> cells_;
  double scale_ = 1;            // s
  double scale_sum_ = 0;        // S
  std::uint64_t iterates_ = 0;  // T
  DoubleDouble norm_;           // N
};

}  // namespace glimpse
