#pragma once

#include <cstddef>

namespace glimpse {

/// What the daemon's options bound, for alerts that hold whatever they say.
struct ReportedLimits {
  std::size_t queue_bytes = 0;    ///< --queue
  std::size_t plans = 0;          ///< --max-plans
  std::size_t sources = 0;        ///< --max-sources
  double checkpoint_seconds = 0;  ///< --checkpoint-every
};

}  // namespace glimpse
