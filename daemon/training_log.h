#pragma once

#include <cstdint>
#include <optional>

#include "daemon/progress_table.h"
#include "daemon/statistics/learner_watch.h"
#include "daemon/support/log_limit.h"
#include "daemon/training/trainer.h"

namespace glimpse {

/// What is told of learning while it goes on: records that cannot be read, changes of the stream, a budget
/// that is spent, numbers out of all proportion, and the progress table. Thread-safety: none; the trainer's
/// thread once it runs.
class TrainingLog {
 public:
  /// `processor` outlives this. `progress`: with the table, whose header comes with its first row.
  /// `max_classes`: --max-classes where it is not the usual one; 0: it is.
  TrainingLog(StreamProcessor& processor, bool progress, std::size_t max_classes = 0);

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

  StreamProcessor& processor_;
  const bool progress_;
  std::size_t max_classes_;  // 0: it has been seen whether that has an effect
  bool has_header_ = false;
  ProgressTable table_;
  LearnerWatch watch_;
  LogLimit errors_;
  std::uint64_t drift_alarms_;  // logged
  int phase_;                   // as well
  std::uint64_t best_since_;    // of LearnerReport::best; 0: none
};

}  // namespace glimpse
