#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glimpse {

/// What brokers promise a fleet, in memory: an input topic, a state topic that transactions write and that is
/// read committed, and epochs that fence earlier writers. Nothing waits. Thread-safety: none.
class SimulatedBrokers {
 public:
  struct StateRecord {
    std::string key, version, payload;
  };

  explicit SimulatedBrokers(std::uint32_t partitions) : partitions_(partitions) {}

  std::uint32_t partitions() const { return static_cast<std::uint32_t>(partitions_.size()); }

  void produce(std::uint32_t partition, std::string message) {
    at(partition).input.push_back(std::move(message));
  }
  const std::vector<std::string>& input(std::uint32_t partition) const {
    return partitions_.at(partition).input;
  }

  /// A new writer of a partition's states: its epoch. What the one before had begun is aborted.
  std::uint64_t fence(std::uint32_t partition);
  /// Where what is decided ends: no open transaction stands before it.
  std::uint64_t stable_end(std::uint32_t partition) const;

  /// Of a transaction of that writer, which the first record begins. False: it is fenced, nothing happened.
  bool append(std::uint32_t partition, std::uint64_t epoch, StateRecord record);
  /// Ends it. False: it is fenced.
  bool commit(std::uint32_t partition, std::uint64_t epoch);
  bool abort(std::uint32_t partition, std::uint64_t epoch);

  /// The committed record at or behind `cursor`, which moves behind it; none: nothing is decided there yet.
  std::optional<StateRecord> read_committed(std::uint32_t partition, std::uint64_t& cursor) const;

  /// Removes committed records that have a later one of the same key.
  void compact(std::uint32_t partition);

 private:
  enum class Fate { kOpen, kCommitted, kAborted };
  struct Entry {
    StateRecord record;
    std::size_t transaction = 0;
    bool is_data = true;  // not the end of a transaction
  };
  struct Partition {
    std::vector<std::string> input;
    std::vector<Entry> states;
    std::vector<Fate> transactions;
    std::uint64_t epoch = 0;
    bool has_open = false;  // the last transaction is
  };

  Partition& at(std::uint32_t partition) { return partitions_.at(partition); }
  static void end(Partition& partition, Fate fate);

  std::vector<Partition> partitions_;
};

}  // namespace glimpse
