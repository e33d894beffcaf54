#include "daemon/durability/checkpoint_pace.h"

#include <algorithm>

namespace glimpse {

void CheckpointPace::ended(Time now, bool succeeded) {
  const auto rest = (now - began_) / percent_ * (100 - percent_);
  earliest_ = now + rest;
  retry_ = succeeded ? std::chrono::seconds(0) : std::clamp(2 * retry_, kFirstRetry, kLastRetry);
  earliest_ = std::max(earliest_, now + retry_);
}

}  // namespace glimpse
