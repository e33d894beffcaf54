#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "daemon/fleet/state_chunks.h"
#include "learn/core/learner_counts.h"
#include "learn/evaluation/watched_losses.h"

namespace glimpse {

/// A change of a fleet's stream, noticed in the states of its partitions: each of them forgets what came
/// before. A value type.
struct FleetCut {
  SharedRise rise;  ///< its number counts the cuts of the fleet from 1
  /// Of each partition the offset of its state from which this was decided; none: it had no say.
  std::vector<std::optional<std::uint64_t>> decided_at;
};

/// The cuts that one partition has applied, and before which message each: with these and its messages a
/// learner alone comes to the partition's state, to the bit. Part of that state. Thread-safety: none.
class AppliedCuts {
 public:
  /// Older ones are not kept.
  static constexpr std::size_t kMost = 1000;

  struct Applied {
    SharedRise rise;
    std::uint64_t offset = 0;  ///< of the first message behind the cut

    bool operator==(const Applied&) const = default;
  };

  /// REQUIRES: the cut's number is above number().
  void add(const FleetCut& cut, std::uint64_t offset);

  /// Of the last one; 0: there was none.
  std::uint64_t number() const { return applied_.empty() ? 0 : applied_.back().rise.number; }
  /// The last one. REQUIRES: number() > 0.
  FleetCut last() const { return {applied_.back().rise, decided_at_}; }
  /// Oldest first.
  const std::vector<Applied>& all() const { return applied_; }

  /// "fleet.cuts", "fleet.cut_rises", "fleet.cut_decided_at" (lib/checkpoint/FORMAT.md); nothing while there
  /// was none.
  void save(State& state) const;
  /// Errors: kCorrupt.
  static Result<AppliedCuts> restore(const State& state);

 private:
  std::vector<Applied> applied_;
  std::vector<std::optional<std::uint64_t>> decided_at_;  // of the last one
};

/// Notices that the stream of a fleet has changed, with --drift auto, and knows the newest cut. What is
/// decided is a pure function of the partitions' newest states (losses_rose()): of those of their windows
/// that have applied the newest cut, so that one change is not found twice. The cuts themselves are in the
/// states that have applied them. Memory: some kB a partition. Thread-safety: none.
class FleetDrift {
 public:
  explicit FleetDrift(std::uint32_t partitions) : known_(partitions) {}

  /// The newest state of that partition. Errors: kCorrupt; it is as if the state had not been told.
  Status note(std::uint32_t partition, const StateVersion& version, const State& state);

  /// The cut of the largest number in any of these states; nullptr: there was none.
  const FleetCut* newest() const { return newest_ ? &*newest_ : nullptr; }
  std::uint64_t number() const { return newest_ ? newest_->rise.number : 0; }
  /// The last one of the newest state of that partition; none: it has none.
  std::optional<AppliedCuts::Applied> applied(std::uint32_t partition) const {
    return known_.at(partition).applied;
  }

  /// The next cut, where the states say that the stream has changed. For the owner of the first partition
  /// alone, whose next commit holds it: fences see to it that there is one. None also where no state came
  /// since the last call. Cost: rose_together() of all partitions, twice.
  std::optional<FleetCut> judge();
  /// What judge() said last came to nothing: it looks at the same states again.
  void judge_again() { has_news_ = true; }

 private:
  struct Known {
    std::optional<WatchedLosses> losses;  // none: there is no state
    std::uint64_t offset = 0;
    std::optional<AppliedCuts::Applied> applied;
  };

  std::vector<Known> known_;
  std::optional<FleetCut> newest_;
  bool has_news_ = false;  // since judge()
};

}  // namespace glimpse
