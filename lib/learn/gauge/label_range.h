#pragma once

#include <cstdint>
#include <limits>

#include "base/state.h"

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

}  // namespace glimpse
