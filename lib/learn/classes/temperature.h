#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/state.h"

namespace glimpse {

/// One slope for all scores of classes, fitted to examples that nothing was learned from: p_c ∝
/// exp(slope·δ_c) (temperature scaling, Guo, Pleiss, Sun & Weinberger 2017; the slope is its inverse). The
/// log loss of each of kSlopes slopes is summed, the t-th example counting t times, as models that came later
/// are nearer to the present one. The slope is where the sum is least, between the slopes by a parabola.
/// kUsual is what it begins with, and counts as much as some sixty examples.
///
/// Memory: kSlopes numbers. Thread-safety: that of a value type.
class Temperature {
 public:
  static constexpr std::size_t kSlopes = 49;
  /// Where there are no held-out examples: the middle of what nine sets of data asked for, from .44 to 1.16
  /// (EXPERIMENTS.md).
  static constexpr double kUsual = 0.75;

  /// An example of class `of_class`, with these scores. O(kSlopes·C); allocates nothing.
  void add(std::span<const double> scores, std::size_t of_class);
  /// Adds those that `other` has seen, as many as they are. O(kSlopes).
  void merge(const Temperature& other);
  std::uint64_t count() const { return count_; }
  double slope() const;

  /// "NAME.slopes" and "NAME.count".
  void save(State& state, const std::string& name) const;
  /// As in the beginning where the state has none. Errors: kCorrupt.
  Status restore(const State& state, const std::string& name);

 private:
  static double slope_of(double index);

  std::array<double, kSlopes> losses_ = {};
  std::uint64_t count_ = 0;
};

}  // namespace glimpse
