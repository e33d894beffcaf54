#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/statistics/statistics.h"
#include "daemon/support/log_sink.h"

namespace glimpse {

/// What to do about steps that were too large to take.
const char* advice_for_diverged(StepKind step);

/// Why nothing is learned any more, and what to do: for /readyz and the log. Empty while the learner learns.
std::string divergence(const Statistics& statistics);

/// Logs what a learner did with numbers out of all proportion: values and labels that it bounded,
/// importances that outweigh all before them, steps that it can take no more, models that it withholds,
/// categories that it has no room for. A few lines a second at most.
/// Thread-safety: none.
class LearnerWatch {
 public:
  /// What was counted before is not logged.
  explicit LearnerWatch(const LearnerCounts& before) : logged_(before) {}

  void note(const Statistics& statistics);
  /// Another learner is watched from now on.
  void note_replaced(const LearnerCounts& before) { logged_ = before; }

 private:
  void note_bias(const Statistics& statistics);
  void note_served(const Statistics& statistics);
  void note_served(const std::string& of_label, const GuardReport& guard, std::uint64_t examples,
                   Served& served);

  LearnerCounts logged_;
  bool diverged_ = false;          // and said so
  bool lacks_features_ = false;    // and said so
  bool has_small_labels_ = false;  // and said so
  bool lacks_bias_ = false;        // and said so
  bool categories_full_ = false;
  std::vector<Served> served_;  // of each label
  LogLimit log_;
};

}  // namespace glimpse
