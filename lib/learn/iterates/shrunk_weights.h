#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/double_double.h"
#include "base/large_array.h"
#include "base/random.h"
#include "base/state.h"
#include "base/types.h"
#include "sampling/shrink_tree.h"

namespace glimpse {

/// The iterates of gradient descent with the step 1/t of a strongly convex loss, projected on an L1 ball, and
/// their plain average: after t steps
///
///     w_t = Π_B((1 − 1/t)·w_{t−1} + δ_t/t),   Π_B: the nearest point with ‖w‖₁ ≤ B,   w̄ = (w_1 + … + w_t)/t,
///
/// each step in time proportional to the non-zeros of δ_t times log d, though it moves every weight.
///
///   w = u/t                             the factor 1 − 1/t needs no work: u ← u + δ, in a ball of radius B·t
///   u_i = ±(a_i − T), or 0              the projection takes the same off every |u_i| and stops at 0: it
///                                       raises T and removes the a_i ≤ T, the smallest first. A removal was
///                                       paid for by the change that made the weight, so a step's are
///                                       O(K log d) in the mean
///   Σ_τ w_τ,i = ±(a_i·S − R) + c_i      S = Σ 1/τ, R = Σ T_τ/τ; when a_i changes, c_i takes up the past
///
/// a_i − T loses digits when T is far above the mean of a_i − T, so then T is brought back to 0, and S and R
/// with it. That visits every non-zero, but T gets there only where many more weights were made than there
/// are now, which pays for it.
///
/// The last coordinate is not sampled: the bias. Memory: 22.9 bytes a coordinate. Thread-safety: none.
class ShrunkWeights {
 public:
  /// δ of one coordinate.
  struct Change {
    Attribute attribute;
    double delta;  ///< δ_i, finite
  };

  /// `dimension` ≥ 1 coordinates that are sampled and one that is not; all weights 0. `radius`: B > 0.
  ShrunkWeights(std::size_t dimension, double radius);

  std::uint64_t steps() const { return steps_; }
  double weight(std::size_t i) const { return steps_ == 0 ? 0 : unscaled(i) / static_cast<double>(steps_); }
  /// w̄_i; 0 before the first step.
  double averaged(std::size_t i) const {
    return steps_ == 0 ? 0 : (past(cells_[i].a) + cells_[i].c) / static_cast<double>(steps_);
  }

  /// Σ|w_i| over the sampled coordinates.
  double sampled_norm() const {
    return steps_ == 0 ? 0 : tree_.total(threshold_) / static_cast<double>(steps_);
  }
  /// i with probability |w_i|/sampled_norm(). REQUIRES sampled_norm() > 0.
  Attribute sample(Random& random) const { return tree_.sample(random, threshold_, leaf()); }

  /// One step. `changes`: ascending, of sampled coordinates; `last`: δ of the last one. False, and nothing is
  /// changed, when a coordinate would leave the ball by more than 2⁴⁰ times its radius (or is no number): the
  /// projection of such numbers would be rounding error.
  bool step(std::span<const Change> changes, double last);

  void prefetch_coordinate(Attribute i) const {
    prefetch(&cells_[i]);
    tree_.prefetch_path(i);
  }
  std::size_t memory_bytes() const { return cells_.size() * sizeof(Cell) + tree_.memory_bytes(); }

  void save(State& state) const;
  Status restore(const State& state);

 private:
  struct Cell {
    double a;  // with the sign of the weight; 0: the weight is 0, else |a| > T
    double c;
  };

  struct Leaf {
    const Cell* cells;
    double operator()(std::size_t i) const { return std::abs(cells[i].a); }
  };
  Leaf leaf() const { return {cells_.data()}; }
  double unscaled(std::size_t i) const {
    const double a = cells_[i].a;
    return a == 0 ? 0 : std::copysign(std::abs(a) - threshold_, a);
  }
  // What a coordinate of this a has gathered since S and R began, if it was the same all the time.
  double past(double a) const {
    return a == 0 ? 0 : std::copysign(std::abs(a) * scales_.value() - thresholds_.value(), a);
  }
  double last_a() const { return std::abs(cells_[cells_.size() - 1].a); }
  std::uint32_t alive() const { return tree_.count() + (last_a() > 0 ? 1 : 0); }
  double mass() const { return tree_.total(threshold_) + (last_a() > 0 ? last_a() - threshold_ : 0); }

  void set_a(std::size_t i, double a);
  void set_unscaled(std::size_t i, double u);
  void remove_smallest();
  void shrink_to(double mass);
  void rebase();

  double radius_;
  LargeArray<Cell> cells_;   // d coordinates, and the bias
  ShrinkTree tree_;          // over the d
  double threshold_ = 0;     // T
  DoubleDouble scales_;      // S: sums of as many terms as there are steps, whose rounding every weight would
  DoubleDouble thresholds_;  // R: get a share of
  std::uint64_t steps_ = 0;  // t
  std::vector<Attribute> changed_;
};

}  // namespace glimpse
