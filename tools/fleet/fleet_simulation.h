#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "fleet/simulated_brokers.h"
#include "fleet/simulated_member.h"

namespace glimpse {

/// What may happen to a fleet.
enum class FleetEvent { kKill, kKillInCall, kTerminate, kStop, kJoin, kBrokersDown, kSlowBrokers, kCompact };
inline constexpr std::size_t kFleetEvents = 8;
std::string_view name_of(FleetEvent event);

/// A fleet of members with a coordinator beside simulated brokers, on a clock of its own: everything that
/// happens is a function of the options. The coordinator gives each member a range of the partitions, and
/// takes all away before it gives them again, as Kafka's `range` does.
class FleetSimulation {
 public:
  struct Options {
    std::uint32_t partitions = 16;
    std::uint32_t members = 3;
    std::uint32_t most_members = 6;
    std::uint64_t messages = 200'000;  ///< of all partitions
    std::uint32_t events = 100;
    std::uint64_t seed = 1;
    double messages_a_second = 100;  ///< that are produced
    double session_seconds = 10;     ///< after which a silent member is out
    double commit_every = 2;         ///< seconds
    double downtime = 5;             ///< seconds that brokers are away
    SimulatedMember::Costs costs;
  };

  /// Seconds from an event on, until each partition is learned by a member that lives and the messages that
  /// wait are no more than a second's.
  struct Recovery {
    FleetEvent event;
    double seconds = 0;
  };

  struct Outcome {
    std::uint64_t learned = 0;  ///< messages inside the last states
    std::uint64_t lost = 0;     ///< produced, and not inside
    std::uint64_t doubled = 0;  ///< examples beyond the messages inside
    std::uint32_t different =
        0;  ///< partitions whose state is not, to the bit, that of one undisturbed reader
    std::uint64_t fenced = 0;
    std::uint64_t dropped = 0;   ///< messages that were learned, thrown away, and learned again
    std::uint64_t repeated = 0;  ///< messages that came twice to a learner, which left them out
    std::uint64_t commits = 0;
    double seconds = 0;  ///< on the simulation's clock
    std::string refusal;
    std::vector<Recovery> recoveries;
  };

  explicit FleetSimulation(const Options& options);
  ~FleetSimulation();

  Outcome run();

 private:
  struct Member;

  void produce();
  void join();
  void leave(std::size_t index);
  void work();
  void work(Member& member);
  void coordinate();
  void give_out();
  void happen(FleetEvent event);
  void note_recovery();
  bool is_fresh() const;
  std::size_t pick(bool stopped);
  void settle();
  void count(const Member& member);
  void compare(Outcome& outcome);
  std::string message();
  SimulatedMember::Open opener() const;

  const Options options_;
  Random random_;
  Random messages_random_;
  SimulatedBrokers brokers_;
  bool brokers_are_up_ = true;
  double up_again_ = 0;
  double now_ = 0;
  std::uint64_t produced_ = 0;
  std::uint32_t names_ = 0;
  bool wants_balance_ = false;
  std::vector<std::unique_ptr<Member>> members_;  // in the order in which they joined
  std::vector<double> silent_until_;              // dead members: when the coordinator knows
  std::vector<std::pair<FleetEvent, double>> open_events_;
  Outcome outcome_;
};

}  // namespace glimpse
