#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// What is noted of one moment. The names, of /v1/history and of checkpoints, are kHistoryColumns.
enum class HistoryColumn : std::size_t {
  kTime,  ///< seconds since 1970; for people alone
  kExamples,
  kAttributesRevealed,
  kAttributesThere,  ///< examples · dimension
  kRate,             ///< examples a second of late
  kLabelVariance,
  kProgressiveLoss,
  kProgressiveLossError,
  kRecentLoss,
  kRecentLossError,
  kRecentBaseline,  ///< ProgressiveLoss::Part::baseline
  kHeldOutExamples,
  kHeldOutLoss,
  kHeldOutLossError,
  kHeldOutBaseline,
  kHeldOutRecentLoss,
  kHeldOutRecentLossError,
  kHeldOutRecentBaseline,
  kHeldOutRecentWrong,  ///< of classes: the share for which another was predicted
  kHeldOutRecentWrongError,
  kPhase,
  kLookRatio,
  kEffectiveAttributes,
  kDriftAlarms,
  kModelExamples,
  kModelAge,  ///< seconds
  kCostSpent,
  kPlansOpen,
  kPredictions,
  kParseErrors,  ///< of this process
  kMemoryBytes,
  kCount_,
};

inline constexpr std::size_t kHistoryColumnCount = static_cast<std::size_t>(HistoryColumn::kCount_);

inline constexpr std::array<std::string_view, kHistoryColumnCount> kHistoryColumns{
    "time",
    "examples",
    "attributes_revealed",
    "attributes_there",
    "rate",
    "label_variance",
    "progressive_loss",
    "progressive_loss_error",
    "recent_loss",
    "recent_loss_error",
    "recent_baseline",
    "held_out_examples",
    "held_out_loss",
    "held_out_loss_error",
    "held_out_baseline",
    "held_out_recent_loss",
    "held_out_recent_loss_error",
    "held_out_recent_baseline",
    "held_out_recent_wrong",
    "held_out_recent_wrong_error",
    "phase",
    "look_ratio",
    "effective_attributes",
    "drift_alarms",
    "model_examples",
    "model_age_seconds",
    "cost_spent",
    "plans_open",
    "predictions",
    "parse_errors",
    "memory_bytes"};

/// Of several labels each has its own. On disk in this order.
inline constexpr std::array kLabelColumns{
    HistoryColumn::kLabelVariance,          HistoryColumn::kProgressiveLoss,
    HistoryColumn::kProgressiveLossError,   HistoryColumn::kRecentLoss,
    HistoryColumn::kRecentLossError,        HistoryColumn::kHeldOutLoss,
    HistoryColumn::kHeldOutLossError,       HistoryColumn::kHeldOutRecentLoss,
    HistoryColumn::kHeldOutRecentLossError, HistoryColumn::kRecentBaseline,
    HistoryColumn::kHeldOutRecentBaseline,  HistoryColumn::kHeldOutBaseline};

/// One moment of learning; NaN: not known then.
class HistorySample {
 public:
  HistorySample();

  /// Of several labels those of the first.
  double& operator[](HistoryColumn column) { return values_[static_cast<std::size_t>(column)]; }
  double operator[](HistoryColumn column) const { return values_[static_cast<std::size_t>(column)]; }

  /// Of label `label`, from 0; where all labels have it in common, that.
  double of_label(HistoryColumn column, std::size_t label) const;
  /// kLabelColumns of the labels behind the first, one label after the other; empty: there are none.
  std::vector<double> further;

 private:
  std::array<double, kHistoryColumnCount> values_;
};

/// What happened at one moment. On disk by number: a new kind comes last.
struct HistoryEvent {
  enum class Kind : std::uint8_t {
    kPhase,             ///< value: the phase that begins
    kDrift,             ///< value: alarms so far
    kRestart,           ///< from a checkpoint
    kFreeze,            ///< nothing is learned from here on
    kUnfreeze,          ///< and from here on it is
    kPromotion,         ///< value: examples of the model that was replaced
    kCheckpointFailed,  ///< value: how many have in this process
    kWithheld,          ///< the newest model answers no more; value: of several labels which, from 1
    kServedAgain,       ///< and does again; value: the same
    kCount_,
  };
  Kind kind = Kind::kPhase;
  double time = 0;      ///< seconds since 1970, when it was noticed
  double examples = 0;  ///< learned from by then
  double value = 0;     ///< as the kind says, else 0
};

const char* name_of(HistoryEvent::Kind kind);
/// Whether HistoryEvent::value is a number to be told.
bool has_value(HistoryEvent::Kind kind);

/// A copy that anyone may keep.
struct HistoryCopy {
  std::vector<HistorySample> samples;  ///< the oldest first; examples grow
  std::vector<HistoryEvent> events;    ///< as they were noticed
};

/// How learning went, in a bounded number of samples from the first example to now. Once there are too many,
/// one goes: the one whose neighbours are nearest to each other on a log axis of examples. So samples become
/// even there. The newest quarter stays as it came. Which one goes follows from the samples alone. Nothing
/// here feeds back into learning: the learner's bits do not depend on it.
///
/// Events are at most a quarter as many; beyond that the oldest goes of the kind that there is most of.
/// Thread-safety: none; the trainer's thread. Memory: 272 bytes a sample, 96 for each
/// label behind the first, and as much for the copy.
class History {
 public:
  static constexpr std::size_t kUsual = 2000;
  static constexpr std::size_t kMost = 10000;

  /// How many samples are kept from now on; 0: none, nor events. O(samples²) where there are more.
  void set_most(std::size_t most);
  bool is_kept() const { return most_ > 0; }

  /// A sample of more examples than the last. O(samples) once there are most of them.
  void add(const HistorySample& sample);
  void add(const HistoryEvent& event);
  /// The learner of now has learned from so many examples: what came after them is not its own.
  void cut(std::uint64_t examples);

  /// Of the newest sample; 0: there is none.
  std::uint64_t examples() const;
  /// After how many examples the next sample is taken, whatever the clock says: eight in each doubling.
  static std::uint64_t next_count(std::uint64_t examples);

  /// Made when something changed since the last one. O(samples) then.
  std::shared_ptr<const HistoryCopy> copy() const;

  bool is_used() const { return !kept_.samples.empty() || !kept_.events.empty(); }
  void save(State& state) const;
  /// A checkpoint of an earlier build has none; columns that it does not have are not known, and those of
  /// later builds are passed over. Errors: kCorrupt.
  Status restore(const State& state);

 private:
  void thin();
  void halve();
  Status restore_samples(const State& state);
  Status restore_labels(const State& state);
  Status restore_events(const State& state);

  std::size_t most_ = kUsual;
  HistoryCopy kept_;
  mutable std::shared_ptr<const HistoryCopy> told_;  // a copy of kept_; nullptr: it is older
};

}  // namespace glimpse
