#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "daemon/fleet/fleet_cut.h"
#include "daemon/fleet/state_chunks.h"
#include "learn/evaluation/watched_losses.h"

namespace glimpse {

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
