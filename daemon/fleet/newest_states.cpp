#include "daemon/fleet/newest_states.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "data/text/text.h"

namespace glimpse {

namespace {

// States of a partition that are not whole: the two slots have one each, and what compaction left of older
// ones never becomes whole.
constexpr std::size_t kMostPending = 4;
constexpr std::size_t kMostName = 255;  // bytes of a file's name

Error corrupt(const ChunkKey& key, const StateVersion& version, std::string_view why) {
  return failure(ErrorCode::kCorrupt, "state {} of partition {}, chunk {} of {}: {}", version.sequence,
                 key.partition, key.chunk, version.chunks, why);
}

}  // namespace

Result<std::optional<NewestStates::Found>> NewestStates::take(std::string_view key_text,
                                                              std::string_view version_text,
                                                              std::string_view payload) {
  const auto key = parse_chunk_key(key_text);
  if (!key || key->partition >= partitions_.size())
    return failure(ErrorCode::kCorrupt, "the key {} is none of a state of {} partitions", in_quotes(key_text),
                   partitions_.size());
  if (payload.empty()) return std::optional<Found>();
  const auto version = parse_version(version_text);
  if (!version)
    return failure(version.error().code, "partition {}: {}", key->partition, version.error().message);
  Partition& partition = partitions_[key->partition];
  const auto position = std::pair(version->offset, version->sequence);
  if (partition.newest && position <= std::pair(partition.newest->offset, partition.newest->sequence))
    return std::optional<Found>();
  if (!version->in_folder && version->bytes > most_bytes_)
    return failure(ErrorCode::kTooLarge,
                   "state {} of partition {} has {} bytes, and --fleet-state-limit allows {}: give all "
                   "instances the same limit",
                   version->sequence, key->partition, version->bytes, most_bytes_);
  if (key->chunk >= version->chunks || key->slot != version->sequence % 2)
    return corrupt(*key, *version, "its key is that of another state");

  if (version->in_folder) {
    if (payload.size() > kMostName) return corrupt(*key, *version, "it is no name of a file");
    return Found{key->partition, *version, std::string(payload)};
  }
  auto [found, is_new] = partition.pending.try_emplace(position);
  Pending& pending = found->second;
  if (is_new || pending.version != *version) {
    // Another state of the same position: its learner's options are others, and so the topic was made again.
    pending.version = *version;
    pending.chunks.assign(version->chunks, {});
    pending.has_chunk.assign(version->chunks, false);
    pending.missing = version->chunks;
  }
  if (partition.pending.size() > kMostPending) partition.pending.erase(partition.pending.begin());
  if (!partition.pending.contains(position)) return std::optional<Found>();
  if (!pending.has_chunk[key->chunk]) {
    pending.has_chunk[key->chunk] = true;
    --pending.missing;
  }
  pending.chunks[key->chunk] = payload;
  if (pending.missing > 0) return std::optional<Found>();

  Found whole{key->partition, *version, {}};
  whole.bytes.reserve(version->bytes);
  for (const std::string& chunk : pending.chunks) whole.bytes += chunk;
  partition.pending.erase(found);
  if (whole.bytes.size() != version->bytes)
    return corrupt(
        *key, *version,
        fmt::format("all chunks have {} bytes, and the state {}", whole.bytes.size(), version->bytes));
  if (XXH3_64bits(whole.bytes.data(), whole.bytes.size()) != version->checksum)
    return corrupt(*key, *version, "the checksum of all chunks is not the state's");
  note(key->partition, *version);
  return std::optional<Found>(std::move(whole));
}

std::optional<Error> NewestStates::take_incomplete(std::uint32_t number) {
  Partition& partition = partitions_.at(number);
  if (partition.pending.empty()) return std::nullopt;
  const Pending& pending = std::prev(partition.pending.end())->second;
  const auto error = failure(ErrorCode::kCorrupt, "state {} of partition {}: {} of its {} chunks are missing",
                             pending.version.sequence, number, pending.missing, pending.version.chunks);
  partition.pending.clear();
  return error;
}

void NewestStates::note(std::uint32_t number, const StateVersion& version) {
  Partition& partition = partitions_.at(number);
  partition.newest = version;
  partition.pending.erase(partition.pending.begin(),
                          partition.pending.upper_bound({version.offset, version.sequence}));
}

std::uint64_t NewestStates::pending_bytes() const {
  std::uint64_t bytes = 0;
  for (const Partition& partition : partitions_)
    for (const auto& [sequence, pending] : partition.pending)
      for (const std::string& chunk : pending.chunks) bytes += chunk.size();
  return bytes;
}

}  // namespace glimpse
