#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/state.h"
#include "stats/progressive_loss.h"

namespace glimpse {

/// The smallest interval that holds every label learned from: what predictions are clipped to by default.
/// Thread-safety: that of a value type.
class LabelRange {
 public:
  /// Widens the range to hold `label`, a finite number. O(1).
  void add(double label) {
    if (label < min_) min_ = label;
    if (label > max_) max_ = label;
  }

  /// Widens it to hold all that `other` holds.
  void merge(const LabelRange& other) {
    if (other.empty()) return;
    add(other.min_);
    add(other.max_);
  }

  /// No label was seen yet.
  bool empty() const { return min_ > max_; }
  /// +infinity while empty; −infinity where the labels seen are not known (see restore()).
  double min() const { return min_; }
  /// −infinity while empty; +infinity where the labels seen are not known.
  double max() const { return max_; }

  /// Labels differ, and are 16 times as far from 0 as from each other.
  bool is_far_from_zero() const { return max_ > min_ && std::max(min_, -max_) >= 16 * (max_ - min_); }

  /// Two numbers, kept bit for bit.
  void save(State& state) const;
  /// Continues from what save() wrote. `learned`: the examples behind the state. Checkpoints of the first
  /// builds have no range: the labels of their examples are not known, so every number counts as seen. An
  /// Error (kCorrupt) when the two numbers are no range; this is unchanged then.
  Status restore(const State& state, std::uint64_t learned);

 private:
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
};

/// Mean and spread of the labels learned from (Welford 1962): what losses are compared with. Thread-safety:
/// that of a value type.
class LabelSpread {
 public:
  LabelSpread() = default;

  /// `label`: at most kLargestMagnitude. O(1).
  void add(double label) {
    ++count_;
    const double difference = label - mean_;
    mean_ += difference / static_cast<double>(count_);
    squares_ += difference * (label - mean_);
  }

  /// `count` labels that are all the same. O(1).
  void add(double label, std::uint64_t count) { merge({count, label, 0}); }
  /// Adds the labels that `other` has seen (Chan, Golub & LeVeque 1979).
  void merge(const LabelSpread& other) {
    if (other.count_ == 0) return;
    const auto theirs = static_cast<double>(other.count_);
    const auto all = static_cast<double>(count_ + other.count_);
    const double difference = other.mean_ - mean_;
    squares_ += other.squares_ + difference * difference * (static_cast<double>(count_) * (theirs / all));
    mean_ += difference * (theirs / all);
    count_ += other.count_;
  }

  /// NaN before the first.
  double mean() const { return count_ > 0 ? mean_ : std::nan(""); }
  /// The mean squared distance from the mean: the loss of always answering it. NaN below two labels.
  double variance() const { return count_ > 1 ? squares_ / static_cast<double>(count_) : std::nan(""); }

  /// "labels.count" and "labels.spread" (lib/checkpoint/FORMAT.md).
  void save(State& state) const;
  /// Continues from what save() wrote; a state of an earlier build has neither, and the spread is then of
  /// later labels alone. Errors: kCorrupt; this is unchanged then.
  Status restore(const State& state);

 private:
  LabelSpread(std::uint64_t count, double mean, double squares)
      : count_(count), mean_(mean), squares_(squares) {}

  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // Σ (label − mean)²
};

/// A mean squared error over that of always answering the labels' mean, which is 1 − R².
struct LossShare : NonNegative {
  /// At most 1.
  double r2() const { return 1 - value(); }
  /// Of R2, unbiased: may be above 1.
  double r2_estimate() const { return 1 - estimate; }
  /// Whether there is one: NaN where the labels do not vary, or hardly any were seen.
  bool is_known() const { return std::isfinite(estimate); }
};
/// Of a loss, its standard error and that of the mean. NaN where it is no number.
LossShare share_of(double loss, double standard_error, double variance);
/// Beside the loss' own baseline, and without one beside the labels' variance.
LossShare share_of(const ProgressiveLoss::Part& loss, double variance);

}  // namespace glimpse
