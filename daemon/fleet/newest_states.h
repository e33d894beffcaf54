#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "daemon/fleet/state_chunks.h"

namespace glimpse {

/// The newest whole state of each partition, from the messages of the state topic. Which it is depends on the
/// messages alone, and not on their order: the larger offset wins, and of the same offset the larger
/// sequence. A message that was taken twice changes nothing. Messages whose chunks do not verify leave the
/// state before them in place. Memory: the states that are not whole yet; those that are whole are given
/// away. Thread-safety: none.
class NewestStates {
 public:
  /// A state that is newer than any before of its partition.
  struct Found {
    std::uint32_t partition = 0;
    StateVersion version;
    /// Verified; of a state that is a file the file's name, and the state is not the newest before note().
    std::string bytes;
  };

  /// `partitions`: how many there are. `most_bytes`: of a state.
  NewestStates(std::uint32_t partitions, std::uint64_t most_bytes)
      : most_bytes_(most_bytes), partitions_(partitions) {}

  /// Takes a message; `payload` may be empty, where compaction or somebody removed what was there. Errors
  /// (kCorrupt, kMismatch, kTooLarge) name the partition, chunk and why: the message was left out.
  Result<std::optional<Found>> take(std::string_view key, std::string_view version, std::string_view payload);

  /// Once all messages of a partition were given: the newest state of which some chunks never came, though it
  /// is newer than any whole one (kCorrupt), as somebody removed them; none: there is none. It is told of
  /// once.
  std::optional<Error> take_incomplete(std::uint32_t partition);

  /// A state that is a file was read, and is sound: it is the newest of its partition now.
  void note(std::uint32_t partition, const StateVersion& version);

  /// What was found last of a partition; none: nothing.
  std::optional<StateVersion> newest(std::uint32_t partition) const {
    return partitions_.at(partition).newest;
  }
  std::uint32_t partitions() const { return static_cast<std::uint32_t>(partitions_.size()); }

  /// Bytes of the states that are not whole yet.
  std::uint64_t pending_bytes() const;

 private:
  // Offset and sequence: the larger one is newer.
  using Position = std::pair<std::uint64_t, std::uint64_t>;
  // A state whose chunks are coming in.
  struct Pending {
    StateVersion version;
    std::vector<std::string> chunks;
    std::vector<bool> has_chunk;
    std::uint32_t missing = 0;
  };
  struct Partition {
    std::optional<StateVersion> newest;
    std::map<Position, Pending> pending;
  };

  const std::uint64_t most_bytes_;
  std::vector<Partition> partitions_;
};

}  // namespace glimpse
