#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace glimpse {

/// When a free solver solves for a new model. No clock and no thread: time is given.
///
/// While examples come in: once the model lacks 2 % of them, and the solver has rested for three times the
/// processor's time that the last solve took. So solving takes a quarter of one core at most. A model that
/// lacks half of the examples does not wait for the end of the rest: at the beginning, when a stream has run
/// for less than two solves.
///
/// The first model is made when a stream pauses or has run for a quarter of a second: earlier it would be one
/// of its first few examples. A request for it is answered at once, past the schedule.
///
/// When the stream has been quiet for a moment the model is brought up to the last example: at once where it
/// lacks 2 %, else after the rest. So a stream of single examples does not keep a core busy.
///
/// Thread-safety: none.
class SolveSchedule {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kQuiet{20};
  static constexpr std::chrono::milliseconds kFirst{250};
  static constexpr std::uint64_t kShare = 50;  ///< 2 %
  static constexpr int kRest = 3;              ///< of the work

  /// There are examples at `now`. The first call counts.
  void began(Time now);
  /// A model of `examples` examples was done at `now`, for which a processor worked so long.
  void solved(Time now, std::chrono::nanoseconds work, std::uint64_t examples);

  /// When the next solve is due, with `examples` learned and a stream that has been quiet since then (now:
  /// it is not) and stays so. The first `forgotten` examples are those before a change of the stream: they
  /// count for nothing, and neither does a model of them. None: the model is of the last example.
  std::optional<Time> due(std::uint64_t examples, Time quiet_since, std::uint64_t forgotten = 0) const;

 private:
  std::optional<Time> began_;
  std::uint64_t solved_examples_ = 0;  // 0: no model yet
  Time rested_ = Time::min();
};

}  // namespace glimpse
