#pragma once

#include <chrono>
#include <cmath>

namespace glimpse {

/// Seconds since 1970 by the system's clock when this was called first, counted on by a clock that nobody
/// sets: a clock that is set while the process runs lets nothing expire.
inline double wall_seconds() {
  const std::chrono::duration<double> steady = std::chrono::steady_clock::now().time_since_epoch();
  static const double offset =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count() -
      steady.count();
  return offset + steady.count();
}

/// By how many seconds the system's clock was set forward since: what to add to a time that another process
/// reads. 0 where that is below a second.
inline double wall_clock_shift() {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  const double shift = now.count() - wall_seconds();
  return std::abs(shift) < 1 ? 0 : shift;
}

}  // namespace glimpse
