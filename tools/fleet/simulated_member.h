#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "daemon/fleet/fleet_link.h"
#include "daemon/fleet/fleet_member.h"
#include "fleet/simulated_brokers.h"

namespace glimpse {

/// Thrown amid a call of a member's to the brokers: its process ends there.
struct Killed {};

/// An instance of the fleet beside simulated brokers: what a FleetMember asks of them, and what it reads.
/// What the brokers' answers take is counted in seconds of the simulation. Thread-safety: none.
class SimulatedMember : public FleetLink {
 public:
  struct Costs {
    double answer = 0.005;           ///< seconds that any question to a broker takes
    double bytes_a_second = 200e6;   ///< of states, written or read
    double messages_a_second = 1e5;  ///< that are learned from
  };

  /// Makes the processor of a partition: new, or as a state left it.
  using Open = std::function<Result<OwnedPartition>(std::uint32_t, const State*, const StateVersion&)>;

  SimulatedMember(std::string name, SimulatedBrokers& brokers, const Costs& costs, const bool& brokers_are_up,
                  Open open);

  const std::string& name() const { return name_; }
  FleetMember& member() { return member_; }

  /// Reads what the state topic has, goes on with partitions that wait, and learns from at most `most`
  /// messages. False: there was nothing to do.
  bool work(std::size_t most);
  /// Throws Killed from the `calls`-th call to the brokers on.
  void kill_at(std::uint64_t calls) { kill_at_ = calls_ + calls; }

  /// Seconds that its work took so far.
  double seconds() const { return seconds_; }
  /// Messages behind the positions of the partitions that it learns from.
  std::uint64_t lag() const;

  Answer fence(std::uint32_t partition) override;
  std::optional<std::uint64_t> state_end(std::uint32_t partition) override;
  void start(std::uint32_t partition, std::uint64_t offset) override;
  Answer commit(std::uint32_t partition, const StateChunks& state) override;
  void release(std::uint32_t partition) override;

 private:
  struct Reading {
    std::optional<std::uint64_t> input;  // none: not started
    std::uint64_t states = 0;
    std::uint64_t epoch = 0;
  };

  void count_call(double seconds);
  bool read_states();

  const std::string name_;
  SimulatedBrokers& brokers_;
  const Costs costs_;
  const bool& brokers_are_up_;
  std::vector<Reading> readings_;
  std::uint64_t calls_ = 0;
  std::uint64_t kill_at_ = ~std::uint64_t{0};
  double seconds_ = 0;
  std::uint32_t turn_ = 0;
  FleetMember member_;
};

}  // namespace glimpse
