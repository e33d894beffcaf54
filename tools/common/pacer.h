#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace glimpse {

/// Spaces examples in time: so many a second, in small groups, so that a fast stream does not sleep for each.
/// It is told the time and does not wait itself. Thread-safety: none.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kGroup{10};  ///< a shorter wait waits for the next example
  static constexpr std::chrono::milliseconds kLate{
      200};  ///< what a stall missed beyond this is not made up for

  /// `per_second` > 0; a rate below one in 10⁶ s counts as that.
  explicit Pacer(double per_second) : interval_(std::min(1 / per_second, 1e6)) {}

  /// Call it after each example: until when to wait before the next one; none: not at all.
  std::optional<Clock::time_point> after_example(Clock::time_point now);

 private:
  using Seconds = std::chrono::duration<double>;
  Seconds interval_;
  std::optional<Clock::time_point> begin_;  // when example 0 was due
  double examples_ = 0;                     // since then
};

}  // namespace glimpse
