#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// One state of a partition among those that were written to the state topic.
struct StateVersion {
  /// Counts the states of a partition from 1, of all writers: the larger one is the newer one.
  std::uint64_t sequence = 0;
  /// Of the partition's first message that is not in it.
  std::uint64_t offset = 0;
  /// Of the encoded state (encode_checkpoint()).
  std::uint64_t bytes = 0;
  /// XXH3 of these.
  std::uint64_t checksum = 0;
  std::uint32_t chunks = 0;
  /// The state is a file (StateFolder), and its one message holds the file's name.
  bool in_folder = false;

  bool operator==(const StateVersion&) const = default;
};

/// Which message of the state topic: its key is `PARTITION/SLOT/CHUNK`. Two states of a partition are kept:
/// one in each slot, so that the state before the newest one is there where that one does not verify.
struct ChunkKey {
  std::uint32_t partition = 0;
  std::uint32_t slot = 0;  ///< sequence modulo 2
  std::uint32_t chunk = 0;

  bool operator==(const ChunkKey&) const = default;
};

std::string format_chunk_key(const ChunkKey& key);
/// None where it is no such text.
std::optional<ChunkKey> parse_chunk_key(std::string_view text);

/// The version as the value of a message's header "glimpse-state", 44 bytes, little-endian.
std::string format_version(const StateVersion& version);
/// Errors: kMismatch where a later build wrote it, in another form; kCorrupt.
Result<StateVersion> parse_version(std::string_view header);

/// A state of a partition in messages of at most some bytes. `bytes` is only pointed to. At least one chunk.
class StateChunks {
 public:
  /// `most`: bytes of a message, at least 1. Errors: kTooLarge where there would be more than kMostChunks.
  static Result<StateChunks> cut(std::string_view bytes, std::uint32_t partition, std::uint64_t sequence,
                                 std::uint64_t offset, std::size_t most);

  static constexpr std::uint32_t kMostChunks = 100'000;

  /// What is known of a state that is to be a file.
  static StateVersion version_of_file(std::string_view bytes, std::uint64_t sequence, std::uint64_t offset);
  /// The one message of a state that is a file called `name`, which is only pointed to.
  static StateChunks of_file(std::string_view name, std::uint32_t partition, const StateVersion& version) {
    return {name, version, partition, name.size()};
  }

  const StateVersion& version() const { return version_; }
  ChunkKey key(std::uint32_t chunk) const;
  std::string_view payload(std::uint32_t chunk) const;

 private:
  StateChunks(std::string_view bytes, StateVersion version, std::uint32_t partition, std::size_t most)
      : bytes_(bytes), version_(version), partition_(partition), most_(most) {}

  std::string_view bytes_;
  StateVersion version_;
  std::uint32_t partition_;
  std::size_t most_;
};

}  // namespace glimpse
