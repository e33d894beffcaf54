#include "daemon/fleet/state_chunks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <xxhash.h>

namespace glimpse {

namespace {

// Of the header. A state that is a file has a form of its own: a build that knows of none refuses it.
constexpr std::uint32_t kForm = 1;
constexpr std::uint32_t kFormOfFile = 2;
constexpr std::uint32_t kSlots = 2;
constexpr std::size_t kHeaderBytes = 44;

template <class T>
void append_bytes(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof(T));  // little-endian everywhere glimpse runs
}

template <class T>
T take(std::string_view& text) {
  T value;
  std::memcpy(&value, text.data(), sizeof(T));
  text.remove_prefix(sizeof(T));
  return value;
}

}  // namespace

std::string format_chunk_key(const ChunkKey& key) {
  return fmt::format("{}/{}/{}", key.partition, key.slot, key.chunk);
}

std::optional<ChunkKey> parse_chunk_key(std::string_view text) {
  std::array<std::uint32_t, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const bool is_last = i + 1 == numbers.size();
    if (text.empty() != is_last || (!is_last && text.front() != '/')) return std::nullopt;
    if (!is_last) text.remove_prefix(1);
  }
  if (numbers[1] >= kSlots) return std::nullopt;
  return ChunkKey{numbers[0], numbers[1], numbers[2]};
}

std::string format_version(const StateVersion& version) {
  std::string text;
  text.reserve(kHeaderBytes);
  append_bytes(text, version.in_folder ? kFormOfFile : kForm);
  append_bytes(text, version.sequence);
  append_bytes(text, version.offset);
  append_bytes(text, version.bytes);
  append_bytes(text, version.checksum);
  append_bytes(text, version.chunks);
  append_bytes(text, std::uint32_t{0});  // for later
  return text;
}

Result<StateVersion> parse_version(std::string_view header) {
  if (header.size() < sizeof(kForm))
    return failure(ErrorCode::kCorrupt, "the header of a state has {} bytes; it has {}", header.size(),
                   kHeaderBytes);
  const auto form = take<std::uint32_t>(header);
  if (form > kFormOfFile)
    return failure(ErrorCode::kMismatch,
                   "the state is of form {}, which a later build writes; this one reads form {}", form,
                   kFormOfFile);
  if (form == 0 || header.size() != kHeaderBytes - sizeof(kForm))
    return failure(ErrorCode::kCorrupt, "the header of a state has form {} and {} bytes; it has {}", form,
                   header.size() + sizeof(kForm), kHeaderBytes);
  StateVersion version;
  version.sequence = take<std::uint64_t>(header);
  version.offset = take<std::uint64_t>(header);
  version.bytes = take<std::uint64_t>(header);
  version.checksum = take<std::uint64_t>(header);
  version.chunks = take<std::uint32_t>(header);
  version.in_folder = form == kFormOfFile;
  if (version.sequence == 0 || version.chunks == 0 ||
      version.chunks > (version.in_folder ? 1 : StateChunks::kMostChunks))
    return failure(ErrorCode::kCorrupt, "the header of a state says sequence {} and {} chunks",
                   version.sequence, version.chunks);
  return version;
}

Result<StateChunks> StateChunks::cut(std::string_view bytes, std::uint32_t partition, std::uint64_t sequence,
                                     std::uint64_t offset, std::size_t most) {
  const std::size_t chunks = std::max<std::size_t>((bytes.size() + most - 1) / most, 1);
  if (chunks > kMostChunks)
    return failure(ErrorCode::kTooLarge,
                   "the state of partition {} has {} bytes, in messages of {} bytes {} of them; at most {}",
                   partition, bytes.size(), most, chunks, kMostChunks);
  const StateVersion version{.sequence = sequence,
                             .offset = offset,
                             .bytes = bytes.size(),
                             .checksum = XXH3_64bits(bytes.data(), bytes.size()),
                             .chunks = static_cast<std::uint32_t>(chunks)};
  return StateChunks(bytes, version, partition, most);
}

StateVersion StateChunks::version_of_file(std::string_view bytes, std::uint64_t sequence,
                                          std::uint64_t offset) {
  return {.sequence = sequence,
          .offset = offset,
          .bytes = bytes.size(),
          .checksum = XXH3_64bits(bytes.data(), bytes.size()),
          .chunks = 1,
          .in_folder = true};
}

ChunkKey StateChunks::key(std::uint32_t chunk) const {
  return {partition_, static_cast<std::uint32_t>(version_.sequence % kSlots), chunk};
}

std::string_view StateChunks::payload(std::uint32_t chunk) const {
  return bytes_.substr(std::size_t{chunk} * most_, most_);
}

}  // namespace glimpse
