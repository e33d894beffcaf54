#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "daemon/buying/spending.h"
#include "daemon/feeds/block.h"
#include "daemon/losses/hold_out.h"
#include "daemon/predictions/class_prediction.h"
#include "daemon/statistics/history.h"
#include "learn/core/learner.h"

namespace glimpse {

/// Of a classifier.
struct ClassFacts {
  /// A class, and of how many examples that were learned from it was.
  struct Class {
    std::string name;
    std::uint64_t examples = 0;
  };
  std::size_t count = 0;       ///< of classes
  std::vector<Class> classes;  ///< the first ClassReport::kMostConfused
  double slope = 1;            ///< of probabilities
};

/// Which checkpoint's model took the place of the one that was learned last, where one did (POST
/// /v1/promote). Kept in checkpoints. Thread-safety: none; the trainer's thread.
struct Promotion {
  std::uint64_t count = 0;              ///< how often one did
  std::string checkpoint;               ///< the last of them
  std::uint64_t examples = 0;           ///< that it had learned from
  std::uint64_t replaced_examples = 0;  ///< that the model which it replaced had learned from

  bool is_any() const { return count > 0; }

  void save(State& state) const;
  /// Where there was none the state may have nothing. Errors: kCorrupt.
  Status restore(const State& state);
};

/// The model that predictions use.
struct ModelFacts {
  std::uint64_t examples = 0;  ///< that it was made from
  std::uint64_t attributes_revealed = 0;
  std::chrono::steady_clock::time_point made_at{};  ///< as of when; counts once it lacks examples
  /// Of a fleet: when the states were there that it was made from. None: examples come in here.
  std::optional<std::chrono::steady_clock::time_point> states_at = std::nullopt;
};

/// One of several labels.
struct LabelFacts {
  std::string name;
  LabelRange labels;
  double variance = 0;                     ///< NaN: not known yet
  ProgressiveLoss::Part progressive_loss;  ///< ProgressiveLoss::with_model()
  ProgressiveLoss::Part recent_loss;
  UnlearnedLoss held_out;
  UnlearnedLoss frozen;  ///< of records that came while frozen
  GuardReport guard;
  double mean_absolute = std::nan("");  ///< ProgressiveLoss::absolute()
  double median_absolute = std::nan("");
};

/// What the trainer tells of itself between two blocks: a copy that anyone may keep.
struct Statistics {
  std::string algorithm;
  std::size_t dimension = 0;
  std::size_t budget = 0;
  int phase = 1;
  std::optional<std::uint64_t> phase_since;  ///< LearnerReport's, as the next two
  std::string phase_reason;
  SamplingSpread looks;
  std::size_t best_wanted = 0;  ///< LearnerReport's, as the next two
  std::shared_ptr<const std::vector<Attribute>> best;
  std::uint64_t best_since = 0;
  std::string best_waiting;
  double step_size = 0;
  LearnerCounts counts;
  std::string beyond_attribute;    ///< the name of that of LearnerCounts; empty: there was none
  bool diverged_for_good = false;  ///< Learner::has_diverged_for_good()
  StepKind step_kind = StepKind::kAuto;
  std::uint64_t predictions = 0;
  Clip clip;
  LabelRange labels;
  bool has_bias = true;
  double label_variance = 0;               ///< NaN: not known yet
  std::optional<ClassFacts> classes;       ///< none: labels are numbers, or none came
  std::vector<LabelFacts> by_label;        ///< of several; what stands beside it is of the first
  ProgressiveLoss::Part progressive_loss;  ///< ProgressiveLoss::with_model()
  ProgressiveLoss::Part recent_loss;       ///< ProgressiveLoss::recent()
  double mean_absolute = std::nan("");     ///< ProgressiveLoss::absolute()
  double median_absolute = std::nan("");
  HeldOut held_out;
  bool holds_out = false;   ///< or did: held_out is to be shown
  bool is_frozen = false;   ///< nothing is learned
  HeldOut frozen;           ///< Freeze::report()
  bool was_frozen = false;  ///< or is: `frozen` is to be shown
  Promotion promotion;      ///< StreamProcessor::promotion()
  std::shared_ptr<const HistoryCopy> history;
  /// Beside the labels' variance; not known before there are both.
  LossShare loss_share(const ProgressiveLoss::Part& loss) const { return share_of(loss, label_variance); }
  DriftReport drift;
  GuardReport guard;
  bool categories_full = false;              ///< a new category gets no weight: there is no room
  std::optional<ExpansionReport> expansion;  ///< LearnerReport's
  std::size_t memory_bytes = 0;
  std::size_t names = 0;
  std::size_t named_sources = 0;  ///< known, against --max-sources
  std::size_t plans_open = 0;
  PlanBook::Counts plans;
  SpendingReport spending;
  bool is_spent = false;  ///< nothing is bought any more: what was to be did not fit
  std::vector<Door> doors;
  std::chrono::steady_clock::time_point snapshot_at{};  ///< when a model was last copied out; epoch: never
  std::optional<ModelFacts> model;                      ///< none: nothing was solved for yet
  std::optional<double> solve_seconds;                  ///< that the last solve on a thread of its own took
};

/// One line: the phase, since when and why, and how far q is from uniform.
std::string phase_report(const Statistics& statistics);

/// How long a model has lacked examples, at `now_seconds` of the steady clock: 0 while it is of the last of
/// `examples`. Of a fleet, where newer examples may be anywhere, the time since its states were there.
double model_age_seconds(const ModelFacts& model, std::uint64_t examples, double now_seconds);

/// How durability fares.
struct CheckpointStatus {
  bool enabled = false;
  std::string name;  ///< of the newest; empty: none yet
  std::uint64_t examples = 0;
  std::optional<double> last_success;                    ///< wall_seconds()
  std::chrono::steady_clock::time_point succeeded_at{};  ///< the same, of the clock that nobody sets
  std::uint64_t failures = 0;
  std::string last_error;                   ///< empty: the last attempt succeeded
  std::optional<double> overdue_seconds;    ///< of one that was asked for; none: in time (Checkpointer)
  double duration_seconds = 0;              ///< of the last success, writing included
  double pause_seconds = 0;                 ///< for which learning paused at the last one
  std::optional<std::uint64_t> bytes;       ///< of the newest that this process wrote
  std::optional<std::uint64_t> free_bytes;  ///< of its file system, after the last attempt
};

/// Labels that are all nearer to 0 are learned as others are, but nothing is told of their losses: these are
/// in the labels' own units, and the squares of losses, of which standard errors are made, are no doubles.
inline constexpr double kSmallestTold = 1e-70;

/// Whether labels vary, and all of them are below kSmallestTold.
inline bool are_too_small(const LabelRange& labels) {
  return labels.min() < labels.max() &&
         std::max(std::abs(labels.min()), std::abs(labels.max())) < kSmallestTold;
}

/// Takes out what cannot be told of such labels: losses and variances of 0 would be wrong.
inline void leave_out_small_losses(Statistics& s) {
  for (LabelFacts& label : s.by_label) {
    if (!are_too_small(label.labels)) continue;
    label.variance = std::nan("");
    label.progressive_loss = label.recent_loss = {};
    label.held_out = label.frozen = {};
  }
  if (!are_too_small(s.labels)) return;
  s.label_variance = std::nan("");
  s.progressive_loss = s.recent_loss = {};
  for (UnlearnedLoss* loss : std::initializer_list<UnlearnedLoss*>{&s.held_out, &s.frozen}) *loss = {};
}

}  // namespace glimpse
