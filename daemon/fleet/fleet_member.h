#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/fleet/fleet_cut.h"
#include "daemon/fleet/fleet_link.h"
#include "daemon/fleet/newest_states.h"
#include "daemon/fleet/owned_partition.h"
#include "daemon/fleet/state_folder.h"

namespace glimpse {

/// One instance of a fleet: which partitions it owns, how it comes to go on where their earlier owner left
/// them, and what it commits. Without threads, sockets and clocks: it is told what happened and asks a
/// FleetLink for what must happen. The states of all partitions, of all writers, are given to
/// Hooks::found.
///
/// Of each partition: assigned → fenced, so that its earlier owner writes nothing more → its states were read
/// to the end of then → started from the newest. Learning begins there. What is not committed when a
/// partition is lost is thrown away: the next owner learns it again, to the same bits.
///
/// Thread-safety: none.
class FleetMember {
 public:
  struct Hooks {
    /// A processor that has learned nothing, or as `state` left it, and a feed that reads messages into it.
    /// Errors: those of a start from that state.
    std::function<Result<OwnedPartition>(std::uint32_t partition, const State* state, const StateVersion&)>
        open;
    /// The newest state of a partition; may be empty.
    std::function<void(std::uint32_t partition, const StateVersion&, std::shared_ptr<const State>)> found;
    /// A cut came that is newer than any before, behind the states of the beginning; may be empty.
    std::function<void(const FleetCut&)> cut = {};
    /// A message of the state topic was left out; may be empty.
    std::function<void(const Error&)> corrupt;
  };

  struct Options {
    std::string topic;             ///< of the input
    std::string group = {};        ///< for errors
    std::string state_topic = {};  ///< the same
    std::uint32_t partitions = 1;
    /// Of a state in messages; a larger one goes to `folder`.
    std::uint64_t most_state_bytes = std::uint64_t{1} << 30;
    std::size_t chunk_bytes = 900'000;
    StateFolder* folder = nullptr;  ///< outlives the member; nullptr: larger states are refused
    /// With --drift auto: the owner of partition 0 decides for all whether the stream has changed.
    bool watches_drift = false;
    std::string learning = {};  ///< OwnedPartition::set_learning(): states of others are refused
  };

  struct Counts {
    std::uint64_t taken = 0;     ///< messages that were learned from
    std::uint64_t repeated = 0;  ///< that were inside already
    std::uint64_t not_owned = 0;
    std::uint64_t empty = 0;  ///< without content
    std::uint64_t commits = 0;
    std::uint64_t fenced = 0;   ///< partitions that another one wrote to meanwhile
    std::uint64_t dropped = 0;  ///< messages that were thrown away with a lost partition
  };

  enum class Phase { kUnowned, kFencing, kReading, kLearning };

  FleetMember(FleetLink& link, Options options, Hooks hooks);
  /// Who still awaits a commit is told that there will be none.
  ~FleetMember();
  FleetMember(const FleetMember&) = delete;
  FleetMember& operator=(const FleetMember&) = delete;

  /// The group's coordinator gave these, and takes all others away or has done so before.
  void assigned(std::span<const std::uint32_t> partitions);
  /// It takes these away, and waits: what was learned is committed, and then they are released.
  void revoked(std::span<const std::uint32_t> partitions);
  /// They are another's already: nothing is written.
  void lost(std::span<const std::uint32_t> partitions);

  /// A message of the state topic, and that all of a partition before `offset` were given.
  void state_message(std::string_view key, std::string_view version, std::string_view payload);
  void state_read(std::uint32_t partition, std::uint64_t offset);
  /// The messages of the partition's states were given to their end of now: what is in the folder is looked
  /// at. Before, an older message may name a file that was removed since.
  void states_at_end(std::uint32_t partition) {
    read_from_folder(partition, false);
    partitions_.at(partition).is_at_end = true;
  }

  /// A message of the input; none: it has no content.
  void message(std::uint32_t partition, std::uint64_t offset, std::optional<std::string_view> payload);
  /// Learns from all messages so far: several of a partition that follow one another are learned from
  /// together.
  void work_off();

  /// Does what waits for an answer. True: something still waits, and turn() is to be called again soon.
  bool turn();
  /// Commits what a partition, or each of them, has learned since its last commit. False: that waits.
  bool commit(std::uint32_t partition);
  bool commit_all();

  /// Told once: true when all that the partition has learned, given out and been told until now is committed;
  /// false when it was thrown away, or nobody knows yet whether it was committed.
  using Committed = std::function<void(bool)>;
  /// Calls `told` within this or a later call. REQUIRES: owned(partition).
  void await_commit(std::uint32_t partition, Committed told);
  /// Somebody does, or a cut is to be recorded.
  bool is_awaited(std::uint32_t partition) const {
    const Known& known = partitions_.at(partition);
    return !known.awaiting.empty() || (known.owned && known.owned->has_new_cut());
  }

  /// Why nothing can be learned: the states are of other options, or of a later build. None: nothing is
  /// wrong.
  const std::optional<Error>& refusal() const { return refusal_; }
  /// Why the folder of states did not do what it was asked last; empty: it did.
  const std::string& folder_trouble() const { return folder_trouble_; }

  Phase phase(std::uint32_t partition) const { return partitions_.at(partition).phase; }
  /// Of newest().
  const std::optional<StateVersion>& newest_version(std::uint32_t partition) const {
    return partitions_.at(partition).newest_version;
  }
  /// The state of a partition that was committed last; nullptr: none.
  const std::shared_ptr<const State>& newest(std::uint32_t partition) const {
    return partitions_.at(partition).newest;
  }
  /// Records and whole messages of the partition that could not be read by this member.
  std::uint64_t refused(std::uint32_t partition) const {
    const Known& known = partitions_.at(partition);
    return known.refused + (known.owned ? known.owned->refused() : 0);
  }
  /// Those of them that have a line over the limit.
  std::uint64_t oversized(std::uint32_t partition) const {
    const Known& known = partitions_.at(partition);
    return known.oversized + (known.owned ? known.owned->oversized() : 0);
  }
  /// nullptr: it does not learn.
  OwnedPartition* owned(std::uint32_t partition);
  const FleetDrift& drift() const { return drift_; }
  const Counts& counts() const { return counts_; }
  std::uint32_t partitions() const { return static_cast<std::uint32_t>(partitions_.size()); }

 private:
  struct Known {
    Phase phase = Phase::kUnowned;
    std::optional<OwnedPartition> owned;
    std::optional<FleetLink::Extent> extent;     // since it was fenced
    std::uint64_t read_end = 0;                  // of its states
    bool is_at_end = false;                      // these were read to their end once
    std::shared_ptr<const State> newest;         // the state itself
    std::optional<StateVersion> newest_version;  // of it
    /// States that are files, and their names, by offset and sequence; those that were not looked at.
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<StateVersion, std::string>> in_folder;
    std::uint64_t refused = 0;        // records, while it was owned before
    std::uint64_t oversized = 0;      // the same
    std::string unusable;             // why the last of these that was looked at is no good
    std::uint64_t damaged_to = 0;     // the largest offset of a state that was left out, and told of
    std::vector<Committed> awaiting;  // the next commit

    void note_damage(std::uint64_t offset) { damaged_to = std::max(damaged_to, offset); }
  };

  void fence();
  void look_at_extents();
  bool has_read(const Known& known) const {
    return known.extent && known.read_end >= known.extent->states_end;
  }
  void miss_states(std::uint32_t partition);
  void begin(std::uint32_t partition);
  void decide_on_drift(OwnedPartition& first);
  void drop(std::uint32_t partition);
  void begin_again(std::uint32_t partition);
  bool take_state(const NewestStates::Found& found);
  void report(const Error& error);
  void read_from_folder(std::uint32_t partition, bool is_newest);
  Result<StateChunks> pack(const OwnedPartition& owner, std::string_view bytes, std::string& name);
  void tidy_folder(const OwnedPartition& owner);
  static void answer(Known& known, bool is_committed);

  FleetLink& link_;
  const Options options_;
  const Hooks hooks_;
  NewestStates states_;
  FleetDrift drift_;
  std::vector<Known> partitions_;
  std::optional<std::uint32_t> taken_last_;  // alone has messages that were not worked off
  Counts counts_;
  std::optional<Error> refusal_;
  std::string folder_trouble_;
};

}  // namespace glimpse
