#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/state.h"

namespace glimpse {

/// The mean of an unbiased estimate of each example's squared error (ŷ − y)², made before the example was
/// learned from, with its standard error (Welford 1962): over all examples, and over the recent ones. The
/// estimates of budgeted learners are noisy and may be negative one by one. Thread-safety: that of a value
/// type.
class ProgressiveLoss {
 public:
  /// Mean and spread of some of the estimates.
  struct Part {
    std::uint64_t count = 0;
    double mean = 0;
    double squares = 0;  ///< Σ (estimate − mean)²

    double sum() const { return mean * static_cast<double>(count); }
    /// NaN below two estimates.
    double standard_error() const {
      const auto n = static_cast<double>(count);
      return count > 1 ? std::sqrt(squares / (n - 1) / n) : std::nan("");
    }
    /// What came after `earlier`, an earlier state of this part.
    Part since(const Part& earlier) const;
    /// Both together.
    Part with(const Part& other) const;
  };

  /// An estimate beyond ±10¹⁴⁰ counts as that, so that the sum of squares stays finite. `effect` ≥ 1: by how
  /// much the variance of a mean of such estimates is larger than that of independent ones (Kish's design
  /// effect); the sum of squares is of these estimates times it.
  void add(double estimate, double effect = 1) {
    estimate = std::clamp(estimate, -kLargest, kLargest);
    ++total_.count;
    const double difference = estimate - total_.mean;
    total_.mean += difference / static_cast<double>(total_.count);
    total_.squares += effect * difference * (estimate - total_.mean);
    if (!std::has_single_bit(total_.count)) return;
    marks_[0] = marks_[1];
    marks_[1] = total_;
  }

  const Part& total() const { return total_; }
  /// Since the second to last power of two: the last half to three quarters of the estimates.
  Part recent() const { return total_.since(marks_[0]); }
  /// recent() begins here.
  void begin_recent() { marks_[0] = marks_[1] = total_; }

  /// Adds the estimates that `other` has of other examples, to the recent ones those that are so there.
  void merge(const ProgressiveLoss& other);

  /// Under names that begin with `name`.
  void save(State& state, const std::string& name = "progressive") const;
  Status restore(const State& state, const std::string& name = "progressive");

 private:
  static constexpr double kLargest = 1e140;

  Part total_;
  Part marks_[2];  // as of the last two powers of two
};

}  // namespace glimpse
