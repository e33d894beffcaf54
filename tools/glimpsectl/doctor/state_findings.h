#pragma once

#include <chrono>
#include <string>

#include "base/file.h"
#include "glimpsectl/doctor/finding.h"

namespace glimpse::ctl {

/// What a state directory is looked at for.
struct StateQuestion {
  std::string folder;
  std::chrono::system_clock::time_point now;
  /// Whose process uses it, by number; negative: not known.
  long user = -1;
};

/// Its kind, owner and mode; the room for checkpoints beside the newest one's size; whether that verifies,
/// and its format; those set aside; those from the future. Nothing is changed. Cost: the newest checkpoint is
/// read whole, and is in memory twice.
Findings state_findings(const StateQuestion& question, FileSystem& files);

}  // namespace glimpse::ctl
