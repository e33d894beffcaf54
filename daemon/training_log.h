#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/predictions/class_prediction.h"
#include "daemon/statistics/learner_watch.h"
#include "daemon/statistics/statistics.h"
#include "daemon/support/log_sink.h"
#include "daemon/training/trainer.h"

namespace glimpse {

/// The table that vw's users know: a row whenever the number of examples has doubled, on standard error.
/// Pure: makes rows, prints nothing. Thread-safety: none.
class ProgressTable {
 public:
  /// Begins where `learner` is, as after a restore.
  explicit ProgressTable(const Learner& learner);

  /// Whether `examples` gets a row. Cheap: asked for each example.
  bool due(std::uint64_t examples) const { return examples >= next_; }

  /// Effective attributes are SamplingSpread's: d while draws are uniform.
  /// `steps`: whether the learner does; else the last column is the examples in its newest model.
  /// `holds_out`: row() is given what was. `are_classes`: of those the share that was predicted wrongly, the
  /// log loss and the Brier score are shown, and not their R2.
  static std::string header(bool steps = true, bool holds_out = false, bool are_classes = false);
  /// Learner::progressive_loss(): its mean is the first column, the mean of the recent ones and its standard
  /// error are the second and the third. R2 is of the recent loss, with its standard error; that of the
  /// recent records held out as well.
  std::string row(const Learner& learner, std::string_view label,
                  const std::optional<HeldOut>& held_out = std::nullopt);

 private:
  std::uint64_t next_;
};

/// What is told of learning while it goes on: records that cannot be read, changes of the stream, a budget
/// that is spent, numbers out of all proportion, and the progress table. Thread-safety: none; the trainer's
/// thread once it runs.
class TrainingLog {
 public:
  /// `processor` outlives this. `progress`: with the table, whose header comes with its first row.
  TrainingLog(StreamProcessor& processor, bool progress, const ClassOptions& classes);

  /// A record of `feed` cannot be read.
  void note_error(const Feed& feed, const RecordError& error);
  /// After every example.
  void note_learned(double label);
  /// After every block.
  void note_published(const Statistics& statistics);
  /// Another learner has the place of the one before.
  void note_promoted();
  /// Nothing more is bought.
  void note_spent() const;

 private:
  std::optional<HeldOut> shown_held_out() const;
  void note_signs();

  StreamProcessor& processor_;
  const bool progress_;
  std::size_t max_classes_;  // 0: the usual, or it has been seen whether that has an effect
  bool may_be_signs_;        // whether labels are -1 and 1 alone is not known yet
  bool has_header_ = false;
  ProgressTable table_;
  LearnerWatch watch_;
  LogLimit errors_;
  std::uint64_t drift_alarms_;  // logged
  int phase_;                   // as well
  std::uint64_t best_since_;    // of LearnerReport::best; 0: none
};

}  // namespace glimpse
