#include "daemon/fleet/fleet_member.h"

#include <algorithm>
#include <utility>

#include "checkpoint/checkpoint.h"

namespace glimpse {

namespace {

// Files that messages name and that were not looked at: there are two slots, and what compaction has not
// removed yet is older.
constexpr std::size_t kMostInFolder = 4;

}  // namespace

FleetMember::FleetMember(FleetLink& link, Options options, Hooks hooks)
    : link_(link),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      states_(options_.partitions, options_.most_state_bytes),
      drift_(options_.partitions),
      partitions_(options_.partitions) {}

FleetMember::~FleetMember() {
  for (Known& known : partitions_) answer(known, false);
}

OwnedPartition* FleetMember::owned(std::uint32_t partition) {
  Known& known = partitions_.at(partition);
  return known.owned ? &*known.owned : nullptr;
}

void FleetMember::assigned(std::span<const std::uint32_t> partitions) {
  for (const std::uint32_t partition : partitions) {
    if (partition >= partitions_.size()) {
      refusal_ =
          failure(ErrorCode::kMismatch,
                  "partitions were added to topic '{}': the states are of {}, and partition {} was given to "
                  "this instance; name another group, which starts from nothing",
                  options_.topic, partitions_.size(), partition);
      continue;
    }
    Known& known = partitions_.at(partition);
    if (known.phase == Phase::kUnowned) known.phase = Phase::kFencing;
  }
}

void FleetMember::revoked(std::span<const std::uint32_t> partitions) {
  bool answers = true;
  for (const std::uint32_t partition : partitions) {
    if (partition >= partitions_.size()) continue;
    // Where one cannot be committed now, or nobody knows whether it was, the others would wait in vain as
    // well: the next owners learn it again.
    const std::uint64_t fenced = counts_.fenced;
    if (answers) answers = commit(partition) && counts_.fenced == fenced;
    drop(partition);
  }
}

void FleetMember::lost(std::span<const std::uint32_t> partitions) {
  for (const std::uint32_t partition : partitions)
    if (partition < partitions_.size()) drop(partition);
}

void FleetMember::drop(std::uint32_t partition) {
  Known& known = partitions_.at(partition);
  if (known.phase == Phase::kUnowned) return;
  if (known.owned) {
    counts_.dropped += known.owned->since_commit();
    known.refused += known.owned->refused();
    known.oversized += known.owned->oversized();
  }
  if (taken_last_ == partition) taken_last_.reset();
  known.owned.reset();
  known.extent.reset();
  known.phase = Phase::kUnowned;
  link_.release(partition);
  answer(known, false);
}

void FleetMember::answer(Known& known, bool is_committed) {
  for (const Committed& told : std::exchange(known.awaiting, {})) told(is_committed);
}

void FleetMember::await_commit(std::uint32_t partition, Committed told) {
  Known& known = partitions_.at(partition);
  if (!known.owned->has_news()) return told(true);
  known.awaiting.push_back(std::move(told));
}

// Either the partition is another's, which the coordinator will tell, or one that does not know yet that it
// is no more wrote to it. Both end with the states read again.
void FleetMember::begin_again(std::uint32_t partition) {
  ++counts_.fenced;
  drop(partition);
  partitions_[partition].phase = Phase::kFencing;
}

void FleetMember::state_message(std::string_view key, std::string_view version, std::string_view payload) {
  auto found = states_.take(key, version, payload);
  if (!found) {
    const auto of = parse_chunk_key(key);
    const auto damaged = parse_version(version);
    if (of && of->partition < partitions_.size() && damaged)
      partitions_[of->partition].note_damage(damaged->offset);
    return report(found.error());
  }
  if (!*found) return;
  if (!(*found)->version.in_folder) return (void)take_state(**found);
  auto& in_folder = partitions_.at((*found)->partition).in_folder;
  in_folder.insert_or_assign({(*found)->version.offset, (*found)->version.sequence},
                             std::pair((*found)->version, std::move((*found)->bytes)));
  if (in_folder.size() > kMostInFolder) in_folder.erase(in_folder.begin());
}

// Reads the newest sound state that is newer than what is known. `is_newest`: no newer message will come.
// Without it a missing file is no error: its owner removes files once it has committed newer states.
void FleetMember::read_from_folder(std::uint32_t partition, bool is_newest) {
  Known& known = partitions_.at(partition);
  while (!known.in_folder.empty()) {
    const auto newest = std::prev(known.in_folder.end());
    const auto [version, name] = newest->second;
    if (known.newest_version &&
        newest->first <= std::pair(known.newest_version->offset, known.newest_version->sequence))
      break;
    if (options_.folder == nullptr) {
      refusal_ = failure(ErrorCode::kMismatch,
                         "state {} of partition {} is a file, '{}': give all instances the same "
                         "--fleet-state-folder",
                         version.sequence, partition, name);
      return;
    }
    auto bytes = options_.folder->read(partition, version, name);
    if (!bytes && bytes.error().code == ErrorCode::kNotFound && !is_newest) return;
    known.in_folder.erase(newest);
    if (!bytes) {
      known.unusable = bytes.error().message;
      known.note_damage(version.offset);
      const bool is_gone = bytes.error().code == ErrorCode::kNotFound;
      report({is_gone ? ErrorCode::kCorrupt : bytes.error().code, bytes.error().message});
      continue;
    }
    if (!take_state({partition, version, std::move(*bytes)})) continue;
    states_.note(partition, version);
    break;
  }
  known.in_folder.clear();
}

bool FleetMember::take_state(const NewestStates::Found& found) {
  Known& known = partitions_.at(found.partition);
  const auto refuse = [&](const Error& error) {
    known.note_damage(found.version.offset);
    report(error);
    return false;
  };
  const auto bytes = std::as_bytes(std::span(found.bytes));
  auto state = decode_checkpoint(bytes);
  if (!state)
    return refuse(failure(state.error().code, "state {} of partition {}: {}", found.version.sequence,
                          found.partition, state.error().message));
  if (const Status status = OwnedPartition::check(*state, options_.topic, found.partition, found.version);
      !status)
    return refuse(status.error());
  if (const Status status = OwnedPartition::check_learning(*state, found.partition, options_.learning);
      !status)
    return refuse(status.error());
  if (options_.watches_drift) {
    const std::uint64_t before = drift_.number();
    if (const Status status = drift_.note(found.partition, found.version, *state); !status)
      return refuse(failure(status.error().code, "state {} of partition {}: {}", found.version.sequence,
                            found.partition, status.error().message));
    if (drift_.number() > before && known.is_at_end && hooks_.cut) hooks_.cut(*drift_.newest());
  }
  known.newest = std::make_shared<const State>(std::move(*state));
  known.newest_version = found.version;
  if (hooks_.found) hooks_.found(found.partition, found.version, known.newest);
  return true;
}

// What somebody damaged is left out; what a later build or other options wrote is no reason to start from
// nothing.
void FleetMember::report(const Error& error) {
  if (error.code != ErrorCode::kCorrupt && !refusal_) refusal_ = error;
  if (hooks_.corrupt) hooks_.corrupt(error);
}

void FleetMember::state_read(std::uint32_t partition, std::uint64_t offset) {
  Known& known = partitions_.at(partition);
  known.read_end = std::max(known.read_end, offset);
}

bool FleetMember::turn() {
  work_off();
  fence();
  look_at_extents();
  bool waits = false;
  for (std::uint32_t p = 0; p < partitions_.size() && !refusal_; ++p) {
    Known& known = partitions_[p];
    if (known.phase == Phase::kReading && has_read(known)) {
      read_from_folder(p, true);
      if (!refusal_) miss_states(p);
      if (!refusal_) begin(p);
    }
    if (known.phase == Phase::kLearning && drift_.newest() != nullptr)
      (void)known.owned->apply(*drift_.newest());
    waits = waits || known.phase == Phase::kFencing || known.phase == Phase::kReading;
  }
  return waits;
}

void FleetMember::fence() {
  for (std::uint32_t p = 0; p < partitions_.size() && !refusal_; ++p) {
    if (partitions_[p].phase != Phase::kFencing) continue;
    const FleetLink::Answer answer = link_.fence(p);
    if (answer == FleetLink::Answer::kDone) partitions_[p].phase = Phase::kReading;
    if (answer == FleetLink::Answer::kFenced) begin_again(p);
  }
}

// Asks for all fenced partitions together, so that it waits once for brokers that do not answer.
void FleetMember::look_at_extents() {
  if (refusal_) return;
  std::vector<std::uint32_t> asked;
  for (std::uint32_t p = 0; p < partitions_.size(); ++p)
    if (partitions_[p].phase == Phase::kReading && !partitions_[p].extent) asked.push_back(p);
  if (asked.empty()) return;
  const auto extents = link_.extents(asked);
  for (std::size_t i = 0; i < extents.size(); ++i) partitions_[asked[i]].extent = extents[i];
}

// Reports a state that the group's offset knows of and the topic does not have any more.
void FleetMember::miss_states(std::uint32_t partition) {
  const Known& known = partitions_[partition];
  const std::uint64_t to = known.extent->learned_to.value_or(0);
  if (!known.newest_version) return;
  if (const auto incomplete = states_.take_incomplete(partition)) {
    report(*incomplete);
  } else if (to > known.newest_version->offset && to > known.damaged_to) {
    report(failure(ErrorCode::kCorrupt,
                   "the state of partition {} of offset {}, up to which the group has learned, is "
                   "gone, and state {} of offset {} is the newest",
                   partition, to, known.newest_version->sequence, known.newest_version->offset));
  }
}

void FleetMember::begin(std::uint32_t partition) {
  Known& known = partitions_[partition];
  StateVersion version;
  if (known.newest_version) {
    version = *known.newest_version;
  } else if (!known.unusable.empty()) {
    // To start from nothing would forget what the files hold, and a folder that is not mounted comes back.
    refusal_ = failure(ErrorCode::kCorrupt,
                       "none of the states of partition {} can be used: {}; bring the files back to "
                       "--fleet-state-folder, or name another group, which starts from nothing",
                       partition, known.unusable);
    return;
  } else if (known.extent->learned_to) {
    // With each state the group's offset was committed: where that is there, the state was, too.
    refusal_ =
        failure(ErrorCode::kMismatch,
                "partition {} has no state in the topic of states '{}', and group '{}' has learned it up "
                "to offset {}: its states were deleted. Name another group, which starts from nothing",
                partition, options_.state_topic, options_.group, *known.extent->learned_to);
    return;
  } else {
    version.offset = known.extent->input_begin;
  }
  auto opened = hooks_.open(partition, known.newest.get(), version);
  if (!opened) {
    refusal_ = failure(opened.error().code, "partition {}: {}", partition, opened.error().message);
    return;
  }
  if (known.newest != nullptr)
    if (const Status status = opened->restore_cuts(*known.newest); !status) {
      refusal_ = failure(status.error().code, "partition {}: {}", partition, status.error().message);
      return;
    }
  opened->set_learning(options_.learning);
  if (partition == 0) drift_.judge_again();
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
  if (taken_last_ != partition) work_off();
  taken_last_ = partition;
  const bool is_new = payload ? owner->take(offset, *payload) : owner->pass_over(offset);
  if (!is_new)
    ++counts_.repeated;
  else
    ++(payload ? counts_.taken : counts_.empty);
}

void FleetMember::work_off() {
  if (!taken_last_) return;
  const std::uint32_t partition = *std::exchange(taken_last_, std::nullopt);
  OwnedPartition* const owner = owned(partition);
  if (owner == nullptr) return;
  owner->work_off();
  if (!owner->has_given_up()) return;
  drop(partition);  // from the last commit on, where there may be memory
  partitions_[partition].phase = Phase::kFencing;
}

// The cut is part of the state that is committed next, or of none.
void FleetMember::decide_on_drift(OwnedPartition& first) {
  if (!options_.watches_drift || first.cuts().number() != drift_.number()) return;
  if (const auto cut = drift_.judge()) (void)first.apply(*cut);
}

bool FleetMember::commit(std::uint32_t partition) {
  work_off();
  OwnedPartition* const owner = owned(partition);
  if (owner != nullptr && partition == 0) decide_on_drift(*owner);
  if (owner == nullptr || !owner->has_news()) return true;
  const auto bytes = owner->encode();
  std::string name;  // of a file
  const auto chunks = bytes ? pack(*owner, *bytes, name) : Result<StateChunks>(bytes.error());
  if (!chunks) {
    // What the folder cannot take now it may take later.
    if (chunks.error().code != ErrorCode::kUnavailable && !refusal_) refusal_ = chunks.error();
    return false;
  }
  switch (link_.commit(partition, *chunks)) {
    case FleetLink::Answer::kDone:
      owner->note_committed(chunks->version());
      ++counts_.commits;
      answer(partitions_[partition], true);
      tidy_folder(*owner);
      return true;
    case FleetLink::Answer::kLater:
      return false;
    case FleetLink::Answer::kFenced:
      begin_again(partition);
      return true;
  }
  return false;
}

// Messages that hold the state, or name the file that does.
Result<StateChunks> FleetMember::pack(const OwnedPartition& owner, std::string_view bytes,
                                      std::string& name) {
  const std::uint64_t sequence = owner.committed().sequence + 1;
  if (bytes.size() <= options_.most_state_bytes)
    return StateChunks::cut(bytes, owner.partition(), sequence, owner.next_offset(), options_.chunk_bytes);
  if (options_.folder == nullptr)
    return failure(ErrorCode::kTooLarge,
                   "the state of partition {} has {} bytes, and --fleet-state-limit allows {}: allow more on "
                   "all instances, or give them a folder that they share (--fleet-state-folder)",
                   owner.partition(), bytes.size(), options_.most_state_bytes);
  const StateVersion version = StateChunks::version_of_file(bytes, sequence, owner.next_offset());
  const Status written = options_.folder->write(owner.partition(), version, bytes);
  folder_trouble_ = written ? std::string() : written.error().message;
  if (!written) return failure(ErrorCode::kUnavailable, "{}", written.error().message);
  name = StateFolder::name_of(owner.partition(), version);
  return StateChunks::of_file(name, owner.partition(), version);
}

// The newest state and the one before it have a message each.
void FleetMember::tidy_folder(const OwnedPartition& owner) {
  if (options_.folder == nullptr) return;
  const std::uint64_t sequence = owner.committed().sequence;
  const Status removed = options_.folder->remove_before(owner.partition(), sequence > 1 ? sequence - 1 : 0);
  folder_trouble_ = removed ? std::string() : removed.error().message;
}

bool FleetMember::commit_all() {
  bool all = true;
  for (std::uint32_t p = 0; p < partitions_.size(); ++p) all = commit(p) && all;
  return all;
}

}  // namespace glimpse
