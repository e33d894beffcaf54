#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/fleet/fleet_link.h"
#include "daemon/fleet/fleet_member.h"
#include "fleet/simulated_brokers.h"

namespace glimpse {

/// How far the model reaches that an instance answers with. A model is folded from the newest states that
/// were read when its fold began, and answers when the fold ends; states that come meanwhile wait for the
/// next one. Folds run beside everything else. Times are given, in seconds. Thread-safety: none.
class SimulatedModel {
 public:
  struct Costs {
    /// Of a state that is new to the fold: .05 is what 784 attributes take, with reading.
    double state = 0.05;
    /// Of the model's solution, once a fold: .3 is what 784 attributes take at most.
    double solution = 0.3;
  };

  SimulatedModel(std::uint32_t partitions, const Costs& costs)
      : costs_(costs), read_(partitions), folding_(partitions), inside_(partitions) {}

  /// A state was read that holds the partition's messages before `offset`.
  void note(std::uint32_t partition, std::uint64_t offset);
  /// Ends the fold whose time has come, and begins the next one where there are new states.
  void advance(double now);
  /// Messages of each partition that are in the model.
  const std::vector<std::uint64_t>& positions() const { return inside_; }

 private:
  const Costs costs_;
  std::vector<std::uint64_t> read_, folding_, inside_;
  std::vector<std::uint32_t> news_;  // partitions that were read since the last fold began
  double ends_at_ = -1;              // below 0: nothing is being folded
};

/// Thrown amid a call of a member's to the brokers: its process ends there.
struct Killed {};

/// An instance of the fleet beside simulated brokers: what a FleetMember asks of them, and what it reads.
/// What the brokers' answers take is counted in seconds of the simulation. Thread-safety: none.
class SimulatedMember : public FleetLink {
 public:
  struct Costs {
    double answer = 0.005;           ///< seconds that any question to a broker takes
    double bytes_a_second = 200e6;   ///< of states, written or read
    double state_bytes = 0;          ///< that a state counts as; 0: those that it has
    double messages_a_second = 1e5;  ///< that are learned from
    SimulatedModel::Costs fold;      ///< beside all this
  };

  /// Makes the processor of a partition: new, or as a state left it.
  using Open = std::function<Result<OwnedPartition>(std::uint32_t, const State*, const StateVersion&)>;

  SimulatedMember(std::string name, SimulatedBrokers& brokers, const Costs& costs, Open open);

  const std::string& name() const { return name_; }
  const FleetMember& member() const { return member_; }

  /// As those of FleetMember.
  void assigned(std::span<const std::uint32_t> partitions);
  void revoked(std::span<const std::uint32_t> partitions) { member_.revoked(partitions); }
  void lost(std::span<const std::uint32_t> partitions) { member_.lost(partitions); }
  void commit_all() { member_.commit_all(); }

  /// Reads what the state topic has, goes on with partitions that wait, and learns from at most `most`
  /// messages. False: there was nothing to do.
  bool work(std::size_t most);
  /// Throws Killed from the `calls`-th call to the brokers on.
  void kill_at(std::uint64_t calls) { kill_at_ = calls_ + calls; }

  /// Seconds that its work took so far.
  double seconds() const { return seconds_; }
  /// Partitions that it learns from, in any order.
  const std::vector<std::uint32_t>& started() const { return started_; }
  /// Messages behind the positions of these.
  std::uint64_t lag() const;
  /// What it answers with.
  SimulatedModel& model() { return *model_; }
  const SimulatedModel& model() const { return *model_; }

  Answer fence(std::uint32_t partition) override;
  std::vector<std::optional<Extent>> extents(std::span<const std::uint32_t> partitions) override;
  void start(std::uint32_t partition, std::uint64_t offset) override;
  Answer commit(std::uint32_t partition, const StateChunks& state) override;
  void release(std::uint32_t partition) override;

 private:
  struct Reading {
    std::uint64_t input = 0;  // where it is started
    std::uint64_t states = 0;
    std::uint64_t epoch = 0;
  };

  void count_call(double seconds);
  double seconds_of(std::size_t chunk_bytes, std::uint32_t chunks) const;
  bool read_states();
  bool read_states(std::uint32_t partition);

  const std::string name_;
  SimulatedBrokers& brokers_;
  const Costs costs_;
  std::vector<Reading> readings_;
  std::vector<std::uint32_t> started_;
  // Partitions whose states a look has to be taken at: all at first, then those that the brokers name.
  std::vector<std::uint32_t> unread_;
  std::size_t changes_ = 0;  // of the brokers', that were taken into account
  bool waits_ = true;        // some partition of the member's does not learn yet
  std::uint64_t calls_ = 0;
  std::uint64_t kill_at_ = ~std::uint64_t{0};
  double seconds_ = 0;
  std::size_t turn_ = 0;
  std::unique_ptr<SimulatedModel> model_;  // where it stays for a hook
  FleetMember member_;
};

}  // namespace glimpse
