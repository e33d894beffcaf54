#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "daemon/fleet/state_chunks.h"

namespace glimpse {

/// What a member of a fleet asks of the brokers. A partition of the input has one owner at a time, and the
/// brokers see to it that only the owner's writes are read. Calls may wait for an answer; none throws.
/// Thread-safety: none.
class FleetLink {
 public:
  enum class Answer {
    kDone,
    kLater,   ///< the brokers are not reached or not ready: nothing happened, ask again
    kFenced,  ///< another member owns the partition by now: nothing happened, and nothing will
  };

  virtual ~FleetLink() = default;

  /// From kDone on no earlier owner of the partition can commit anything, and what one began is ended.
  virtual Answer fence(std::uint32_t partition) = 0;

  /// What the brokers have of a partition.
  struct Extent {
    /// Up to which offset the group has learned it, as was committed with its states; none: nothing.
    std::optional<std::uint64_t> learned_to;
    /// Of its state topic, asked after that: the states of what is learned are before.
    std::uint64_t states_end = 0;
    std::uint64_t input_begin = 0;  ///< offset of the oldest message; 0 where something was learned
  };
  /// Of each of these partitions, in their order; of none, or not of one: ask again. REQUIRES: fence() of
  /// each was kDone.
  virtual std::vector<std::optional<Extent>> extents(std::span<const std::uint32_t> partitions) = 0;

  /// Messages of the input partition come from `offset` on. Before, none comes.
  virtual void start(std::uint32_t partition, std::uint64_t offset) = 0;

  /// Writes a state to the state topic, and that the group has read the partition up to its offset: both or
  /// neither. REQUIRES: fence() was kDone.
  virtual Answer commit(std::uint32_t partition, const StateChunks& state) = 0;

  /// The partition is not this member's any more; what is still to be written is thrown away.
  virtual void release(std::uint32_t partition) = 0;
};

}  // namespace glimpse
