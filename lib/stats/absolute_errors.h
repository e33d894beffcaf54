#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/state.h"

namespace glimpse {

/// Mean and median of the absolute errors of predictions, in the label's unit. The median is that of a
/// histogram: each power of two from 2⁻¹²⁸ to 2¹²⁸ has four bins of the same width, so it is at most 13 %
/// off, and 2 % for errors that are spread evenly over a bin. Memory: 8 KiB from the first error on.
/// Thread-safety: that of a value type.
class AbsoluteErrors {
 public:
  /// O(1). What is no number does not count.
  void add(double error);
  /// NaN: there was none.
  double mean() const { return count_ > 0 ? mean_ : std::nan(""); }
  /// NaN: there was none. O(bins).
  double median() const;
  /// Adds the errors of other predictions.
  void merge(const AbsoluteErrors& other);

  /// "NAME.absolute_mean" and "NAME.absolute_counts"; nothing where there was none.
  void save(State& state, const std::string& name) const;
  /// As in the beginning where the state has none. Errors: kCorrupt.
  Status restore(const State& state, const std::string& name);

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  std::vector<std::uint64_t> bins_;  // empty: there was none
};

}  // namespace glimpse
