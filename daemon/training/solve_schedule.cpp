#include "daemon/training/solve_schedule.h"

#include <algorithm>

namespace glimpse {

void SolveSchedule::began(Time now) {
  if (!began_) began_ = now;
}

void SolveSchedule::solved(Time now, std::chrono::nanoseconds work, std::uint64_t examples) {
  solved_examples_ = examples;
  rested_ = now + kRest * work;
}

std::optional<SolveSchedule::Time> SolveSchedule::due(std::uint64_t examples, Time quiet_since,
                                                      std::uint64_t forgotten) const {
  if (examples <= solved_examples_) return std::nullopt;
  const std::uint64_t known = solved_examples_ > forgotten ? solved_examples_ - forgotten : 0;
  const std::uint64_t lacking = examples - forgotten - known;
  const Time quiet = quiet_since + kQuiet;
  if (solved_examples_ == 0) return began_ ? std::min(quiet, *began_ + kFirst) : quiet;
  if (lacking < (examples - forgotten) / kShare) return std::max(quiet, rested_);
  if (lacking > known) return Time::min();
  return std::min(quiet, rested_);
}

}  // namespace glimpse
