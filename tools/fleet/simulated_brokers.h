#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glimpse {

/// What brokers promise a fleet, in memory: an input topic, a state topic that transactions write and that is
/// read committed, offsets of a group, and epochs that fence earlier writers. Partitions have their leaders
/// in turn. Brokers are away or slow as they are told, on a clock that is moved from outside. Nothing waits.
/// Thread-safety: none.
class SimulatedBrokers {
 public:
  struct StateRecord {
    std::string key, version, payload;
  };

  /// `slow_answer`: seconds that each answer of a slow broker takes longer.
  SimulatedBrokers(std::uint32_t partitions, std::uint32_t brokers, double slow_answer)
      : partitions_(partitions), slow_until_(brokers, 0), slow_answer_(slow_answer) {}

  std::uint32_t partitions() const { return static_cast<std::uint32_t>(partitions_.size()); }
  std::uint32_t brokers() const { return static_cast<std::uint32_t>(slow_until_.size()); }

  /// Seconds. REQUIRES: not before an earlier time.
  void set_time(double now) { now_ = now; }
  void be_away(double until) { away_until_ = until; }
  bool are_up() const { return now_ >= away_until_; }
  void be_slow(std::uint32_t broker, double until) { slow_until_.at(broker) = until; }
  /// Seconds that an answer of the partition's leader takes longer now.
  double slowness(std::uint32_t partition) const {
    return slow_until_[partition % slow_until_.size()] > now_ ? slow_answer_ : 0;
  }

  void produce(std::uint32_t partition, std::string message) {
    at(partition).input.push_back({std::move(message), now_});
  }
  /// Messages of the partition that were produced.
  std::uint64_t produced(std::uint32_t partition) const { return partitions_[partition].input.size(); }
  /// REQUIRES: offset < produced().
  const std::string& message(std::uint32_t partition, std::uint64_t offset) const {
    return partitions_[partition].input[offset].message;
  }
  double produced_at(std::uint32_t partition, std::uint64_t offset) const {
    return partitions_[partition].input[offset].at;
  }
  /// A fetch of now has the message: a slow leader gives it later.
  bool has_arrived(std::uint32_t partition, std::uint64_t offset) const {
    return offset < produced(partition) && produced_at(partition, offset) + slowness(partition) <= now_;
  }

  /// A new writer of a partition's states: its epoch. What the one before had begun is aborted.
  std::uint64_t fence(std::uint32_t partition);
  /// Where what is decided ends: no open transaction stands before it.
  std::uint64_t stable_end(std::uint32_t partition) const {
    const Partition& p = partitions_[partition];
    return p.has_open ? p.open_begin : p.end;
  }

  /// Of a transaction of that writer, which the first record begins. False: it is fenced, nothing happened.
  bool append(std::uint32_t partition, std::uint64_t epoch, StateRecord record);
  /// Ends it, with the group's offset of the input. False: it is fenced.
  bool commit(std::uint32_t partition, std::uint64_t epoch, std::uint64_t group_offset);
  bool abort(std::uint32_t partition, std::uint64_t epoch);
  /// As of the last transaction that was committed; 0: there was none.
  std::uint64_t group_offset(std::uint32_t partition) const { return partitions_[partition].group_offset; }

  /// The committed record at or behind `cursor`, which moves behind it and behind what nobody may read; none:
  /// nothing is decided there yet, or a slow leader gives it later. Valid until the topic changes.
  const StateRecord* read_committed(std::uint32_t partition, std::uint64_t& cursor) const;
  /// Partitions whose transactions ended, in that order: what a reader has to look at again.
  const std::vector<std::uint32_t>& changes() const { return changes_; }

  /// Removes committed records that have a later one of the same key, and what was aborted. Offsets stay.
  void compact(std::uint32_t partition);

 private:
  enum class Fate { kOpen, kCommitted, kAborted };
  struct Message {
    std::string message;
    double at = 0;
  };
  struct Transaction {
    Fate fate = Fate::kOpen;
    double ended_at = 0;
  };
  struct Entry {
    std::uint64_t offset = 0;
    StateRecord record;
    std::size_t transaction = 0;
  };
  struct Partition {
    std::vector<Message> input;
    std::vector<Entry> states;  // of records alone: the end of a transaction only takes an offset
    std::uint64_t end = 0;      // of these
    std::vector<Transaction> transactions;
    std::uint64_t epoch = 0;
    std::uint64_t group_offset = 0;
    std::size_t compacted = 0;  // entries that the last compaction left
    bool has_open = false;      // the last transaction is
    std::uint64_t open_begin = 0;
  };

  Partition& at(std::uint32_t partition) { return partitions_.at(partition); }
  void end(std::uint32_t partition, Fate fate);

  std::vector<Partition> partitions_;
  std::vector<std::uint32_t> changes_;
  std::vector<double> slow_until_;  // of each broker
  const double slow_answer_;
  double away_until_ = 0;
  double now_ = 0;
};

}  // namespace glimpse
