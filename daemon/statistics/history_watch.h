#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "daemon/statistics/history.h"
#include "daemon/statistics/statistics.h"

namespace glimpse {

/// Takes the samples of a History and notices its events, from what the trainer tells of itself anyway. A
/// sample is taken at fixed counts of examples, eight in each doubling, and beside these once a second at
/// most. The clock decides about nothing but that. Thread-safety: none; the trainer's thread.
class HistoryWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Whether a count was reached at which a sample is taken: asked for each example.
  bool is_due(std::uint64_t examples) const { return examples >= due_; }
  /// The next note() takes one, if an example came since the last.
  void take_next() { due_ = 0; }

  /// `failures`: checkpoints that failed so far. `time`: seconds since 1970.
  void note(const Statistics& statistics, std::uint64_t failures, Clock::time_point now, double time,
            History& history);

 private:
  struct Seen {
    std::uint64_t examples;
    int phase;
    std::optional<std::uint64_t> phase_since;
    std::uint64_t alarms;
    bool is_frozen;
    std::vector<bool> is_withheld;  // of each label
    std::uint64_t promotions;
    std::uint64_t failures;
  };

  void note_events(const Statistics& s, std::uint64_t failures, double time, History& history) const;
  void note_pause(std::uint64_t examples, Clock::time_point now);
  double rate(std::uint64_t examples);

  std::uint64_t due_ = std::numeric_limits<std::uint64_t>::max();
  std::optional<Seen> seen_;  // by the last note(); none: there was none
  Clock::time_point sampled_at_{};
  Clock::time_point counted_at_{};  // the rate is since then
  std::uint64_t counted_ = 0;       // and this many examples
  Clock::time_point came_at_{};     // the newest examples
  double newest_rate_ = 0;          // 0: not known since it began, or since a pause
};

}  // namespace glimpse
