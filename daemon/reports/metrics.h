#pragma once

#include <cstddef>
#include <string>

#include "daemon/fleet/fleet_model.h"
#include "daemon/net/connection_count.h"
#include "daemon/reports/request_times.h"
#include "daemon/statistics/statistics.h"
#include "daemon/support/process_usage.h"

namespace glimpse {

/// What the daemon's options bound, for alerts that hold whatever they say.
struct ReportedLimits {
  std::size_t queue_bytes = 0;    ///< --queue
  std::size_t plans = 0;          ///< --max-plans
  std::size_t sources = 0;        ///< --max-sources
  double checkpoint_seconds = 0;  ///< --checkpoint-every
};

/// Of a fleet, in Prometheus' text format, to come behind the others. Pure, but for the clock.
std::string render_fleet_metrics(const FleetFacts& facts);

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
