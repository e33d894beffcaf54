#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/double_double.h"
#include "base/large_array.h"
#include "base/state.h"
#include "learn/draws/moment_weights.h"
#include "learn/iterates/step_size.h"

namespace glimpse {

/// The iterates of exponentiated gradient on the ball ‖w‖₁ ≤ B (KS15 §4) and their average w̄ = Σ ρ_t·w_t/Σ
/// ρ_t (ρ_t = 1: the plain one). A step may change a few coordinates in time proportional to their number.
///
///   z±_i = exp(±θ_i)         z⁺·z⁻ = 1 for each coordinate, so one number holds both; a step adds ∓ηḡ to θ
///   w_i = s·u_i              u_i = (z⁺_i − z⁻_i)·e^(−L), s = B/Z, Z = Σ (z⁺_i + z⁻_i)·e^(−L)
///   Σ_τ ρ_τ·w_τ,i = u_i·S − c_i  S = Σ ρ_τ·s_τ; when u_i changes by δ, c_i changes by δ·S
///
/// Z and S are running sums in twice the precision of a double; from Z exactly the term is taken that was
/// added before. So 10⁹ steps leave a relative error of some 10⁻²² in them. L is a common exponent that keeps
/// Z between 2⁻⁶ and 2⁶ of the number of terms. When Z leaves these bounds, L follows, c takes over what S·u
/// owes, and all terms are added up again. That is O(d), once in a 64-fold growth or shrinking of Z; θ itself
/// may grow without end, and a term too small for a double is nothing beside the others. Memory: 24 bytes a
/// coordinate. Thread-safety: none.
class ExponentiatedWeights {
 public:
  using Step = ExponentiatedStep;
  static constexpr MomentPower kMomentPower = MomentPower::kFirst;    ///< q ∝ M
  static double plain_inner_weight(double u) { return std::abs(u); }  ///< p ∝ |w|

  ExponentiatedWeights() = default;
  /// `radius`: B, which there must be.
  ExponentiatedWeights(std::size_t size, std::optional<double> radius);

  std::size_t size() const { return cells_.size(); }

  /// s.
  double scale() const { return radius_ / sum_.value(); }
  /// w_i, for an attribute measured in `unit` (the ball is that of w_i·unit); 0 for a unit of 0.
  double weight(std::size_t i, double unit) const { return unit > 0 ? scale() * cells_[i].u / unit : 0; }
  /// Proportional to w_i, with the same factor for every coordinate.
  double unscaled(std::size_t i, double unit) const { return unit > 0 ? cells_[i].u / unit : 0; }
  /// w̄_i; the present weight when nothing was counted yet.
  double averaged(std::size_t i, double unit) const;

  /// Σ ρ_t.
  double iterate_weight() const { return iterate_weight_; }

  /// Counts the present iterate into the average, with weight ρ > 0. Once an example, before the step.
  void count_iterate(double rho = 1) {
    scale_sum_.add(rho * scale());
    iterate_weight_ += rho;
  }
  /// Multiplies all ρ so far by `factor`, a power of two: the average stays what it is. O(d).
  void scale_average(double factor);

  /// `amount`: η·g_i; any number will do.
  bool accepts_step(std::size_t, double amount, double) const { return std::isfinite(amount); }
  /// θ_i ← θ_i − clip(η·g_i/unit, ±1).
  void step(std::size_t i, double amount, double unit) {
    if (unit > 0) set_exponent(i, cells_[i].theta - std::clamp(amount / unit, -1.0, 1.0));
  }
  /// The attribute's unit has grown: w_i ← w_i·(before/now)², as far as the coordinate itself goes.
  void change_unit(std::size_t i, double before, double now);
  /// What Σ_τ w_τ,i loses when the unit grows: the average is one of w_i·unit, and stays in the ball.
  double past_lost(std::size_t i, double before, double now) const {
    if (!(before > 0)) return 0;
    return (cells_[i].u * scale_sum_.value() - cells_[i].c) * (1 / before - 1 / now);
  }
  /// The attribute's unit has shrunk: w_i stays, and so does its average.
  void shrink_unit(std::size_t i, double before, double now);
  /// After the last coordinate of a step. Whether every unscaled() has changed with it.
  bool end_step();

  /// w ← w̄, and averaging starts again, in the ball of `radius`. θ becomes the one that has these weights.
  /// Weights outside of the ball or on its edge, which no θ reaches, are first scaled to 99 % of the ball.
  /// O(d) for each of some dozen passes.
  template <class Metric>
  void restart_from_average(std::optional<double> radius, const Metric&) {
    restart(radius.value_or(radius_));
  }
  /// w and w̄ become value(i), for attributes measured in unit(i), as if all iterates so far, of Σ ρ =
  /// `weight`, had been that; what no θ reaches as above. O(d), as there.
  template <class Value, class Unit>
  void begin_from(const Value& value, double weight, const Unit& unit) {
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].c = value(i) * unit(i);
    restart_from_c(radius_);
    if (weight > 0) count_iterate(weight);
  }
  void set_radius(std::optional<double> radius) { radius_ = radius.value_or(radius_); }

  void prefetch_coordinate(std::size_t i) const { prefetch(&cells_[i]); }
  std::size_t memory_bytes() const { return cells_.size() * sizeof(Cell); }

  void save(State& state) const;
  Status restore(const State& state);

 private:
  struct Cell {
    double theta;
    double u;
    double c;
  };

  // (z⁺ + z⁻)·e^(−L) and (z⁺ − z⁻)·e^(−L) of θ. The same θ and L give the same bits.
  double term(double theta) const;
  double difference(double theta) const;
  void set_exponent(std::size_t i, double theta);
  void add_up();
  void restart(double radius);
  // c: the weights to begin from.
  void restart_from_c(double radius);

  LargeArray<Cell> cells_;
  double radius_ = 1;          // B
  double exponent_ = 0;        // L
  DoubleDouble sum_;           // Z
  DoubleDouble scale_sum_;     // S
  double iterate_weight_ = 0;  // Σ ρ_τ
};

}  // namespace glimpse
