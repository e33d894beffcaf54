#pragma once

#include <string>

#include "daemon/net/connection_count.h"
#include "daemon/reports/reported_limits.h"
#include "daemon/reports/request_times.h"
#include "daemon/statistics/statistics.h"
#include "daemon/support/process_usage.h"

namespace glimpse {

/// What /metrics says that neither the learner nor the checkpoints know.
struct ProcessFacts {
  std::size_t queue_bytes = 0;
  std::size_t connections = 0;
  ConnectionCount::Refused refused;
  std::uint64_t memory_troubles = 0;
  double now_seconds = 0;  ///< of the steady clock
  std::string version;
  bool is_ready = false;           ///< for predictions
  bool is_ready_to_learn = false;  ///< and for learning
  RequestTimes requests = {};
  ProcessUsage usage = {};
  ReportedLimits limits = {};
  std::uint64_t dropped_log_lines = 0;
};

/// The Prometheus text exposition of everything; see the tables in daemon/README.md.
std::string render_metrics(const Statistics& statistics, const CheckpointStatus& checkpoint,
                           const ProcessFacts& facts);

}  // namespace glimpse
