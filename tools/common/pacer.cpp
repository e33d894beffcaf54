#include "common/pacer.h"

namespace glimpse {

std::optional<Pacer::Clock::time_point> Pacer::after_example(Clock::time_point now) {
  if (!begin_) begin_ = now;
  ++examples_;
  // Counted from the beginning, so that rounding does not add up.
  const auto due = *begin_ + std::chrono::duration_cast<Clock::duration>(examples_ * interval_);
  if (due >= now + kGroup) return due;
  if (now > due + kLate) {
    begin_ = now;
    examples_ = 0;
  }
  return std::nullopt;
}

}  // namespace glimpse
