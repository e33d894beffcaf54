#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/buying/spending.h"
#include "daemon/feeds/block.h"
#include "daemon/losses/hold_out.h"
#include "daemon/predictions/clip.h"
#include "daemon/statistics/class_facts.h"
#include "daemon/statistics/history.h"
#include "daemon/statistics/promotion.h"
#include "learn/core/learner.h"

namespace glimpse {

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
  double label_variance = 0;               ///< NaN: not known yet
  std::optional<ClassFacts> classes;       ///< none: labels are numbers, or none came
  std::vector<LabelFacts> by_label;        ///< of several; what stands beside it is of the first
  ProgressiveLoss::Part progressive_loss;  ///< ProgressiveLoss::with_model()
  ProgressiveLoss::Part recent_loss;       ///< ProgressiveLoss::recent()
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
  std::optional<std::chrono::system_clock::time_point> last_success;
  std::chrono::steady_clock::time_point succeeded_at{};  ///< the same, of the clock that nobody sets
  std::uint64_t failures = 0;
  std::string last_error;                   ///< empty: the last attempt succeeded
  std::optional<double> overdue_seconds;    ///< of one that was asked for; none: in time (Checkpointer)
  double duration_seconds = 0;              ///< of the last success, writing included
  double pause_seconds = 0;                 ///< for which learning paused at the last one
  std::optional<std::uint64_t> bytes;       ///< of the newest that this process wrote
  std::optional<std::uint64_t> free_bytes;  ///< of its file system, after the last attempt
};

}  // namespace glimpse
