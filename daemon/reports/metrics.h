#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/fleet/fleet_model.h"
#include "daemon/net/connection_count.h"
#include "daemon/statistics/statistics.h"
#include "daemon/support/process_usage.h"

namespace glimpse {

/// How long requests of HTTP took, from the whole request to its answer: a histogram for each path and class
/// of status. Callers give paths of a fixed set, so that their number is bounded. Thread-safety: none.
class RequestTimes {
 public:
  /// Upper bounds of the buckets, in seconds. Answers that wait for nothing take less than the first; the
  /// last are a checkpoint of a large model on a slow disk.
  static constexpr std::array<double, 12> kBounds{0.0005, 0.001, 0.005, 0.01, 0.025, 0.05,
                                                  0.1,    0.25,  0.5,   1,    5,     30};

  struct Histogram {
    std::string path;
    std::string status;                                    ///< "2xx"
    std::array<std::uint64_t, kBounds.size() + 1> counts;  ///< not cumulative; the last is beyond all bounds
    double seconds = 0;                                    ///< of all together
  };

  void note(std::string_view path, unsigned status, std::chrono::duration<double> time);

  /// Those that something was noted in.
  const std::vector<Histogram>& histograms() const { return histograms_; }

 private:
  std::vector<Histogram> histograms_;
};

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
