#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

/// A fleet of members with a coordinator beside simulated brokers, on a clock of its own: everything that
/// happens is a function of the options. The coordinator gives each member a range of the partitions, and
/// takes all away before it gives them again, as Kafka's `range` does.
///
/// The fleet learns, where each partition is learned from by a member that runs, and the messages that wait
/// are no more than a second's. Its model is fresh, where the model of each member that runs holds, of each
/// partition, all messages that were produced `commit_every + slack` ago: so they were learned, committed,
/// read from the state topic and folded, whichever member is asked.
class FleetSimulation {
 public:
  struct Options {
    std::uint32_t partitions = 16;
    std::uint32_t brokers = 3;
    std::uint32_t members = 3;
    std::uint32_t most_members = 6;    ///< that join by chance; two there are always
    std::uint64_t messages = 200'000;  ///< of all partitions
    std::uint32_t events = 100;
    std::optional<FleetEvent> only;  ///< each event is this one; none: by chance
    std::uint64_t seed = 1;
    double messages_a_second = 100;  ///< that are produced
    double session_seconds = 10;     ///< after which a silent member is out
    double commit_every = 2;         ///< seconds
    double downtime = 5;             ///< seconds that brokers are away, or slow
    double slow_answer = 0.5;        ///< seconds that each answer of a slow broker takes longer
    /// Seconds that a message may take to the model beside the wait for a commit: two folds, of which one was
    /// begun too early, and reading.
    double slack = 3;
    SimulatedMember::Costs costs;
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
    std::vector<RecoveryWatch::Recovery> recoveries;
    std::uint64_t unrecovered = 0;  ///< events behind which the fleet did not learn, or was not fresh, again
  };

  explicit FleetSimulation(const Options& options);
  ~FleetSimulation();

  Outcome run();

 private:
  struct Member;

  void step();
  void produce();
  void join();
  void leave(std::size_t index);
  void die(std::size_t index, FleetEvent event);
  void work();
  void work(Member& member);
  void coordinate();
  void give_out();
  void happen(FleetEvent event);
  void watch();
  bool learns() const;
  bool is_fresh();
  std::size_t pick();
  void settle();
  void count(const Member& member);
  void compare(Outcome& outcome);
  std::string message();
  SimulatedMember::Open opener() const;

  const Options options_;
  Random random_;
  Random messages_random_;
  SimulatedBrokers brokers_;
  double now_ = 0;
  std::uint64_t produced_ = 0;
  std::uint32_t names_ = 0;
  bool wants_balance_ = false;
  std::vector<std::unique_ptr<Member>> members_;  // in the order in which they joined
  std::vector<double> silent_until_;              // dead members: when the coordinator knows
  RecoveryWatch watch_;
  std::vector<std::uint64_t> due_;  // of each partition, the messages that a fresh model holds
  Outcome outcome_;
};

}  // namespace glimpse
