#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/double_double.h"
#include "base/large_array.h"
#include "base/state.h"
#include "learn/draws/moment_weights.h"
#include "learn/iterates/step_size.h"

namespace glimpse {

/// The iterates w_t of gradient descent and their average w̄ = Σ ρ_t·w_t/Σ ρ_t. A step may change a few
/// coordinates and the scale of all, in time proportional to the coordinates changed. ρ_t is 1 for the plain
/// average, and grows with t where the past is to be forgotten.
///
///   w = s·u                     the projection onto a ball multiplies s alone
///   Σ_τ ρ_τ·w_τ,i = u_i·S − c_i  S = Σ ρ_τ·s_τ; when u_i changes by δ, c_i changes by δ·S, so that the past
///                               stays what it was
///   ‖w‖² = s²·N               N = Σ (metric_i u_i)²; N and S are carried along in twice the precision of a
///                             double
///
/// S·u − c cancels when s has shrunk much since S began. So every 2⁶-fold shrinking closes an epoch, and S
/// starts again at 0. When a coordinate changes next, c takes what the coordinate owes to the closed epochs,
/// u_i·(Σ of their S). Every 8 coordinates share one epoch number. When s falls below 2⁻³⁰⁰ all u are brought
/// back to size by an exact power of two: O(d), but once in 300 halvings of everything learned. A step that
/// fits the data shrinks w by far less than one half (by about 2/m in the mean with the theory's η). Memory:
/// 16.2 bytes a coordinate. Thread-safety: none.
class LazyWeights {
 public:
  LazyWeights() = default;
  /// `radius`: B of the ball that end_step() projects onto, if any.
  explicit LazyWeights(std::size_t size, std::optional<double> radius = {})
      : cells_(size), epochs_((size + kGroup - 1) / kGroup), radius_(radius) {}

  std::size_t size() const { return cells_.size(); }

  double weight(std::size_t i) const { return scale_ * cells_[i].u; }
  /// s.
  double scale() const { return scale_; }
  /// w_i / s: proportional to the weight, with the same factor for every coordinate; a projection changes it
  /// only when it says so.
  double unscaled(std::size_t i) const { return cells_[i].u; }

  /// Counts the present iterate into the average, with weight ρ > 0. Once an example, before the step.
  void count_iterate(double rho = 1) {
    scale_sum_.add(rho * scale_);
    iterate_weight_ += rho;
  }
  /// Multiplies all ρ so far by `factor`, a power of two: the average stays what it is. O(d).
  void scale_average(double factor);

  /// Whether set() may be given `value`: it, its square and a few times that stay in the range of numbers.
  bool accepts(double value) const { return std::abs(value / scale_) <= kLargestUnscaled; }

  /// w_i ← value, which accepts() allows. The norm takes w_i in a metric: (metric·w_i)²; the metric may
  /// change with the value.
  void set(std::size_t i, double value, double old_metric, double new_metric) {
    if (!owed_.empty() && epochs_[i / kGroup] != owed_.size()) settle(i / kGroup);
    Cell& cell = cells_[i];
    const double u = value / scale_;
    norm_.add_square(old_metric * cell.u, -1);
    norm_.add_square(new_metric * u, +1);
    cell.c += (u - cell.u) * scale_sum_.value();
    cell.u = u;
  }

  /// What a gradient learner asks of its weights, in units of each attribute (1: the attribute's own):
  /// gradient descent in w_i·unit, whose gradient is g_i/unit, moves w_i by η·g_i/unit².
  using Step = AutoStep;
  static constexpr MomentPower kMomentPower = MomentPower::kRoot;  ///< q ∝ √M
  static double plain_inner_weight(double u) { return u * u; }     ///< p ∝ w²
  double weight(std::size_t i, double) const { return weight(i); }
  double averaged(std::size_t i, double) const { return averaged(i); }
  double unscaled(std::size_t i, double) const { return unscaled(i); }
  /// `amount`: η·g_i. Whether the step stays in the range of numbers.
  bool accepts_step(std::size_t i, double amount, double unit) const {
    return accepts(moved(i, amount, unit));
  }
  void step(std::size_t i, double amount, double unit) { set(i, moved(i, amount, unit), unit, unit); }
  /// The attribute's unit has grown: w_i ← w_i·(before/now)².
  void change_unit(std::size_t i, double before, double now) {
    const double shrink = before / now;
    const double lost = past_lost(i, before, now);
    if (unscaled(i) != 0) set(i, weight(i) * (shrink * shrink), before, now);
    if (lost != 0) {
      if (!owed_.empty() && epochs_[i / kGroup] != owed_.size()) settle(i / kGroup);
      cells_[i].c += lost;
    }
  }
  /// What Σ_τ w_τ,i loses when the unit grows. The average is one of w_i, and loses nothing, unless the unit
  /// was kOtherSize times too small.
  double past_lost(std::size_t i, double before, double now) const {
    const double shrink = before / now;
    return before > 0 && now >= kOtherSize * before ? past(i) * (1 - shrink * shrink) : 0;
  }
  /// The attribute's unit has shrunk: w_i stays.
  void shrink_unit(std::size_t i, double before, double now) {
    if (unscaled(i) != 0) set(i, weight(i), before, now);
  }
  /// After the last coordinate of a step. Whether every unscaled() has changed with it.
  bool end_step() { return radius_ && project(*radius_); }

  /// ‖w‖₂ in the metric.
  double norm() const {
    const double square = norm_.value();
    return square > 0 ? scale_ * std::sqrt(square) : 0;
  }

  /// w ← w·B/max(‖w‖, B) (KS15, Algorithm 1). Whether every unscaled() has changed with it.
  bool project(double radius) {
    const double length = norm();
    if (length <= radius) return false;
    scale_ *= radius / length;
    if (scale_ >= epoch_scale_ * kEpochShrink) return false;
    close_epoch();
    if (scale_ >= kSmallestScale) return false;
    rescale();
    return true;
  }

  /// w̄_i; the present weight when nothing was counted yet.
  double averaged(std::size_t i) const {
    return iterate_weight_ == 0 ? weight(i) : past(i) / iterate_weight_;
  }
  /// Σ ρ_t.
  double iterate_weight() const { return iterate_weight_; }

  /// w ← w̄, projected onto the ball of `radius`, and averaging starts again. metric(i) as in set(). O(d).
  template <class Metric>
  void restart_from_average(std::optional<double> radius, const Metric& metric) {
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] = {averaged(i), 0};
    for (std::uint8_t& epoch : epochs_) epoch = 0;
    owed_.clear();
    scale_ = 1;
    epoch_scale_ = 1;
    scale_sum_ = DoubleDouble();
    iterate_weight_ = 0;
    norm_ = DoubleDouble();
    for (std::size_t i = 0; i < cells_.size(); ++i) norm_.add_square(metric(i) * cells_[i].u, +1);
    set_radius(radius);
    end_step();
  }
  /// w and w̄ become value(i), projected onto the ball, as if all iterates so far, of Σ ρ = `weight`, had been
  /// that. unit(i): the attribute's, in which the ball is. O(d).
  template <class Value, class Unit>
  void begin_from(const Value& value, double weight, const Unit& unit) {
    scale_ = 1;
    iterate_weight_ = 0;  // so that these are the average
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] = {value(i), 0};
    restart_from_average(radius_, unit);
    if (weight > 0) count_iterate(weight);
  }
  void set_radius(std::optional<double> radius) { radius_ = radius; }

  void prefetch_coordinate(std::size_t i) const {
    prefetch(&cells_[i]);
    if (!owed_.empty()) prefetch(&epochs_[i / kGroup]);
  }
  std::size_t memory_bytes() const { return cells_.size() * sizeof(Cell) + epochs_.size(); }

  void save(State& state) const;
  Status restore(const State& state);

 private:
  static constexpr double kEpochShrink = 0x1p-6;
  static constexpr double kSmallestScale = 0x1p-300;
  static constexpr double kLargestUnscaled = 1e150;
  // Other factors were not tried. Pixels grow by 255 at most, and keep their average.
  static constexpr double kOtherSize = 512;
  static constexpr std::size_t kGroup = 8;  // coordinates that share an epoch number

  struct Cell {
    double u;
    double c;
  };

  // Σ ρ_τ·w_τ,i.
  double past(std::size_t i) const {
    const std::size_t epoch = epochs_[i / kGroup];
    const double present = scale_sum_.value();
    const double sum = epoch == owed_.size() ? present : owed_[epoch] + present;
    return cells_[i].u * sum - cells_[i].c;
  }
  double moved(std::size_t i, double amount, double unit) const {
    return unit > 0 ? weight(i) - amount / (unit * unit) : 0.0;
  }
  void close_epoch();
  void settle(std::size_t group);
  void rescale();

  LargeArray<Cell> cells_;
  LargeArray<std::uint8_t> epochs_;  // of each group: up to which epoch c has taken its share
  std::vector<double> owed_;         // Σ of the S of closed epochs, from each on
  double scale_ = 1;                 // s
  double epoch_scale_ = 1;           // s when the epoch began
  DoubleDouble scale_sum_;           // S of this epoch
  double iterate_weight_ = 0;        // Σ ρ_τ
  DoubleDouble norm_;                // N
  std::optional<double> radius_;     // B
};

}  // namespace glimpse
