#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace glimpse {

/// What may happen to a fleet.
enum class FleetEvent { kKill, kKillInCall, kTerminate, kStop, kJoin, kBrokersDown, kSlowBrokers, kCompact };
inline constexpr std::size_t kFleetEvents = 8;
std::string_view name_of(FleetEvent event);
/// As an option has it: "kill", "kill-in-call", "terminate", "stop", "join", "away", "slow", "compact".
std::optional<FleetEvent> event_of(std::string_view word);

/// How long a fleet takes to come back from what happens to it. Each event is watched from when it happens,
/// until its cause is over and the fleet is well; and for `least` seconds, so that what it held back shows.
/// What happens meanwhile counts to it as well. Thread-safety: none.
class RecoveryWatch {
 public:
  struct Recovery {
    FleetEvent event;
    /// Seconds from the event on until learning went on for good; 0: it never stood still.
    double learning = 0;
    /// Seconds from the event on until the model was fresh for good; 0: it was all the time.
    double fresh = 0;
  };

  explicit RecoveryWatch(double least) : least_(least) {}

  /// It happens now. `over`: when its cause ends.
  void begin(FleetEvent event, double now, double over);
  /// Whether the fleet learns and is fresh, as of now.
  void step(double now, bool learns, bool is_fresh);

  /// Nothing is watched.
  bool is_idle() const { return open_.empty(); }
  /// Events that are still watched.
  std::uint64_t open() const { return open_.size(); }
  const std::vector<Recovery>& recoveries() const { return recoveries_; }

 private:
  struct Open {
    FleetEvent event;
    double began = 0;
    double over = 0;
    std::optional<double> learns_since, fresh_since;
  };

  const double least_;
  std::vector<Open> open_;
  std::vector<Recovery> recoveries_;
};

}  // namespace glimpse
