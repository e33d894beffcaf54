#pragma once

#include <cmath>
#include <cstdint>

#include "base/state.h"

namespace glimpse {

/// The mean of an unbiased estimate of each example's squared error (ŷ − y)², made before the example was
/// learned from, with its standard error (Welford 1962). The estimates of budgeted learners are noisy and may
/// be negative one by one. Thread-safety: that of a value type.
class ProgressiveLoss {
 public:
  void add(double estimate) {
    ++count_;
    const double difference = estimate - mean_;
    mean_ += difference / static_cast<double>(count_);
    squares_ += difference * (estimate - mean_);
  }

  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  /// NaN below two examples.
  double standard_error() const {
    const auto n = static_cast<double>(count_);
    return std::sqrt(squares_ / (n - 1) / n);
  }
  double sum() const { return mean_ * static_cast<double>(count_); }

  void save(State& state) const {
    state.put_number("progressive.count", count_);
    state.put_number("progressive.mean", mean_);
    state.put_number("progressive.squares", squares_);
  }
  Status restore(const State& state) {
    const auto count = state.get_number<std::uint64_t>("progressive.count");
    if (!count) return count.error();
    const auto mean = state.get_number<double>("progressive.mean");
    if (!mean) return mean.error();
    const auto squares = state.get_number<double>("progressive.squares");
    if (!squares) return squares.error();
    count_ = *count;
    mean_ = *mean;
    squares_ = *squares;
    return {};
  }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

}  // namespace glimpse
