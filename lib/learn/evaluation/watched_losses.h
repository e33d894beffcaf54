#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/state.h"
#include "learn/core/learner_counts.h"
#include "stats/change_detector.h"

namespace glimpse {

/// What the models of the past in the state of a learner (PastModels) say of changes: its part of the
/// evidence on which several learners decide together. A value type of some kB.
struct WatchedLosses {
  std::array<ChangeDetector, 2> detectors;  ///< of the newest model and the one before; empty: there is none
  int exponent = 0;                         ///< their losses are the user's times 2^exponent
  std::uint64_t examples = 0;               ///< that the learner has learned from

  /// Errors: kCorrupt, as the learner's own restore() has.
  static Result<WatchedLosses> restore(const State& state);
};

/// Whether the losses of learners of one stream have risen (rose_together()): those of their newest models,
/// or else of the models before these. Streams are as fast as the counts of their examples say. A pure
/// function. `number` of the result is 0.
std::optional<SharedRise> losses_rose(std::span<const WatchedLosses* const> learners);

}  // namespace glimpse
