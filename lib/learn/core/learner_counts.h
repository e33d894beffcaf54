#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "base/state.h"
#include "base/types.h"

namespace glimpse {

/// What became of an example that a learner was given.
enum class Outcome {
  kLearned,
  kMissing,     ///< a planned attribute is missing, or beyond kLargestMagnitude: not learned from
  kOutOfRange,  ///< the label or the importance is beyond kLargestMagnitude: not learned from
  kLeftOut,     ///< the label, or a value that the learner cannot do without, is far beyond what was seen
                ///< (ValueGauge): not learned from
  kDiverged,    ///< the step would have left the range of numbers: not taken; the step size is too large for
                ///< the data
};

/// Counts since the beginning of the stream.
struct LearnerCounts {
  std::uint64_t examples = 0;  ///< learned from, those of importance 0 among them
  std::uint64_t attributes_revealed =
      0;  ///< distinct attributes of an example whose value was obtained, bias not counted
  std::uint64_t missing = 0;  ///< examples that were Outcome::kMissing
  std::uint64_t out_of_range = 0;
  std::uint64_t diverged = 0;
  std::uint64_t left_out = 0;  ///< examples that were Outcome::kLeftOut
  std::uint64_t bounded_values =
      0;  ///< values that were left out, also of examples learned from by the others
  std::uint64_t bounded_labels = 0;       ///< labels that were left out
  std::uint64_t beyond_values = 0;        ///< values beyond kLargestMagnitude, which count as missing
  Attribute beyond_attribute = 0;         ///< of the last of them
  std::uint64_t bounded_importances = 0;  ///< counted as LearnerOptions::max_importance
  std::uint64_t outweighing =
      0;  ///< examples that counted for more than all before them, after the first few

  /// Adds those of other examples. `beyond`: theirs of the last value beyond, as numbered here.
  void merge(const LearnerCounts& other, Attribute beyond);

  /// "learner.counts", "learner.outliers", "learner.beyond" (lib/checkpoint/FORMAT.md).
  /// `diverged_in_a_row`: steps that could not be taken.
  void save(State& state, std::uint64_t diverged_in_a_row) const;
  /// Checkpoints of earlier builds lack some. Errors: kCorrupt.
  Status restore(const State& state, std::size_t dimension, std::uint64_t& diverged_in_a_row);
};

/// What --drift auto has noticed so far.
struct DriftReport {
  std::uint64_t alarms = 0;
  std::uint64_t examples = 0;  ///< learned from when the last alarm came
  double before = 0;           ///< the mean squared error before the last change, and since
  double after = 0;
  std::uint64_t shared = 0;  ///< the number of the last SharedRise; 0: there was none

  /// Adds that of other examples, which come behind those of this one; how many both are. What was decided
  /// for both is one change, and what has not forgotten it yet came before it.
  void merge(const DriftReport& other, std::uint64_t examples_here, std::uint64_t examples_there);
};

/// A rise of the losses of several learners, that was decided for all of them (watched_losses.h).
struct SharedRise {
  std::uint64_t number = 0;  ///< of such decisions, from 1
  double before = 0;         ///< the mean squared error before and since, in the user's units
  double after = 0;
  double since = 0;  ///< the share of each learner's examples that came after it, about

  bool operator==(const SharedRise&) const = default;
};

}  // namespace glimpse
