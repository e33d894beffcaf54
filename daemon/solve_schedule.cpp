#include "daemon/solve_schedule.h"

#include <algorithm>

namespace glimpse {

void SolveSchedule::began(Time now) {
  if (!began_) began_ = now;
}

void SolveSchedule::solved(Time now, std::chrono::nanoseconds work, std::uint64_t examples) {
  solved_examples_ = examples;
  rested_ = now + kRest * work;
}

std::optional<SolveSchedule::Time> SolveSchedule::due(std::uint64_t examples, Time quiet_since) const {
  if (examples <= solved_examples_) return std::nullopt;
  const std::uint64_t lacking = examples - solved_examples_;
  const Time quiet = quiet_since + kQuiet;
  if (solved_examples_ == 0) return began_ ? std::min(quiet, *began_ + kFirst) : quiet;
  if (lacking < examples / kShare) return std::max(quiet, rested_);
  if (lacking > solved_examples_) return Time::min();
  return std::min(quiet, rested_);
}

}  // namespace glimpse
