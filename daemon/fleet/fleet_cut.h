#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/core/learner_counts.h"

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

}  // namespace glimpse
