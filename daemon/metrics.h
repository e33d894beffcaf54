#pragma once

#include <string>

#include "daemon/connection_count.h"
#include "daemon/statistics.h"

namespace glimpse {

/// What /metrics says that neither the learner nor the checkpoints know.
struct ProcessFacts {
  std::size_t queue_bytes = 0;
  std::size_t connections = 0;
  ConnectionCount::Refused refused;
  double now_seconds = 0;  ///< since 1970
  std::string version;
};

/// The Prometheus text exposition of everything; see the table in README.md.
std::string render_metrics(const Statistics& statistics, const CheckpointStatus& checkpoint,
                           const ProcessFacts& facts);

}  // namespace glimpse
