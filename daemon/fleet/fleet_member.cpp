#include "daemon/fleet/fleet_member.h"

#include <algorithm>
#include <utility>

#include "checkpoint/checkpoint.h"

namespace glimpse {

FleetMember::FleetMember(FleetLink& link, Options options, Hooks hooks)
    : link_(link),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      states_(options_.partitions, options_.most_state_bytes),
      partitions_(options_.partitions) {}

OwnedPartition* FleetMember::owned(std::uint32_t partition) {
  Known& known = partitions_.at(partition);
  return known.owned ? &*known.owned : nullptr;
}

void FleetMember::assigned(std::span<const std::uint32_t> partitions) {
  for (const std::uint32_t partition : partitions) {
    Known& known = partitions_.at(partition);
    if (known.phase == Phase::kUnowned) known.phase = Phase::kFencing;
  }
}

void FleetMember::revoked(std::span<const std::uint32_t> partitions) {
  bool answers = true;
  for (const std::uint32_t partition : partitions) {
    // Where one cannot be committed now, the others would wait in vain as well: the next owners learn it
    // again.
    if (answers) answers = commit(partition);
    drop(partition);
  }
}

void FleetMember::lost(std::span<const std::uint32_t> partitions) {
  for (const std::uint32_t partition : partitions) drop(partition);
}

void FleetMember::drop(std::uint32_t partition) {
  Known& known = partitions_.at(partition);
  if (known.phase == Phase::kUnowned) return;
  if (known.owned) counts_.dropped += known.owned->since_commit();
  known.owned.reset();
  known.wanted_end.reset();
  known.phase = Phase::kUnowned;
  link_.release(partition);
}

// Either the partition is another's, which the coordinator will tell, or one that does not know yet that it
// is no more wrote to it. Both end with the states read anew.
void FleetMember::begin_again(std::uint32_t partition) {
  ++counts_.fenced;
  drop(partition);
  partitions_[partition].phase = Phase::kFencing;
}

void FleetMember::state_message(std::string_view key, std::string_view version, std::string_view payload) {
  auto found = states_.take(key, version, payload);
  if (!found) return report(found.error());
  if (*found) take_state(std::move(**found));
}

void FleetMember::take_state(NewestStates::Found found) {
  const auto bytes = std::as_bytes(std::span(found.bytes));
  auto state = decode_checkpoint(bytes);
  if (!state)
    return report(failure(state.error().code, "state {} of partition {}: {}", found.version.sequence,
                          found.partition, state.error().message));
  if (const Status status = OwnedPartition::check(*state, options_.topic, found.partition, found.version);
      !status)
    return report(status.error());
  Known& known = partitions_.at(found.partition);
  known.newest = std::make_shared<const State>(std::move(*state));
  known.newest_version = found.version;
  if (hooks_.found) hooks_.found(found.partition, found.version, known.newest);
}

// What somebody damaged is left out; what a later build or other options wrote is no reason to begin anew.
void FleetMember::report(const Error& error) {
  if (error.code != ErrorCode::kCorrupt && !refusal_) refusal_ = error;
  if (hooks_.corrupt) hooks_.corrupt(error);
}

void FleetMember::state_read(std::uint32_t partition, std::uint64_t offset) {
  Known& known = partitions_.at(partition);
  known.read_end = std::max(known.read_end, offset);
}

bool FleetMember::turn() {
  bool waits = false;
  for (std::uint32_t p = 0; p < partitions_.size() && !refusal_; ++p) {
    Known& known = partitions_[p];
    if (known.phase == Phase::kFencing) {
      const FleetLink::Answer answer = link_.fence(p);
      if (answer == FleetLink::Answer::kFenced) {
        begin_again(p);
        waits = true;
        continue;
      }
      if (answer == FleetLink::Answer::kDone) known.phase = Phase::kReading;
    }
    if (known.phase == Phase::kReading) {
      if (!known.wanted_end) known.wanted_end = link_.state_end(p);
      if (known.wanted_end && known.read_end >= *known.wanted_end) begin(p);
    }
    waits = waits || known.phase == Phase::kFencing || known.phase == Phase::kReading;
  }
  return waits;
}

void FleetMember::begin(std::uint32_t partition) {
  Known& known = partitions_[partition];
  StateVersion version;
  if (known.newest_version) {
    version = *known.newest_version;
  } else {
    const auto first = hooks_.first_offset(partition);
    if (!first) return;
    version.offset = *first;
  }
  auto opened = hooks_.open(partition, known.newest.get(), version);
  if (!opened) {
    refusal_ = failure(opened.error().code, "partition {}: {}", partition, opened.error().message);
    return;
  }
  known.owned.emplace(std::move(*opened));
  known.phase = Phase::kLearning;
  link_.start(partition, known.owned->next_offset());
}

void FleetMember::message(std::uint32_t partition, std::uint64_t offset,
                          std::optional<std::string_view> payload) {
  OwnedPartition* const owner = partition < partitions_.size() ? owned(partition) : nullptr;
  if (owner == nullptr) {
    ++counts_.not_owned;
    return;
  }
  const bool is_new = payload ? owner->take(offset, *payload) : owner->pass_over(offset);
  if (!is_new)
    ++counts_.repeated;
  else
    ++(payload ? counts_.taken : counts_.empty);
}

bool FleetMember::commit(std::uint32_t partition) {
  OwnedPartition* const owner = owned(partition);
  if (owner == nullptr || !owner->has_news()) return true;
  const auto bytes = owner->encode();
  if (!bytes) {
    report(bytes.error());
    return false;
  }
  const auto chunks = StateChunks::cut(*bytes, partition, owner->committed().sequence + 1,
                                       owner->next_offset(), options_.chunk_bytes);
  if (!chunks) {
    report(chunks.error());
    return false;
  }
  switch (link_.commit(partition, *chunks)) {
    case FleetLink::Answer::kDone:
      owner->note_committed(chunks->version());
      ++counts_.commits;
      return true;
    case FleetLink::Answer::kLater:
      return false;
    case FleetLink::Answer::kFenced:
      begin_again(partition);
      return true;
  }
  return false;
}

bool FleetMember::commit_all() {
  bool all = true;
  for (std::uint32_t p = 0; p < partitions_.size(); ++p) all = commit(p) && all;
  return all;
}

}  // namespace glimpse
