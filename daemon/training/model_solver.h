#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "daemon/training/block_queue.h"
#include "learn/core/learner.h"
#include "learn/core/solving.h"

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

/// Solves for the models that judge (Solving::take_ahead()) on a thread of its own, at a lower priority,
/// where the learner solves for its model itself (--solver inline). The learner uses such a model from a
/// fixed example on, and waits for it there: what it learns and tells is to the bit what it is without this.
/// ModelSolver does the same beside the model.
///
/// Thread-safety: all members are for the trainer's thread, between two examples. Construction and
/// destruction happen when no trainer runs.
class JudgeWorker {
 public:
  JudgeWorker();
  /// Gives up a solve that is under way: the learner does it itself, should it still learn.
  ~JudgeWorker();

  /// Whether turn() has something to do. Cheap: asked for each example. `solving` may be another one each
  /// time.
  bool wants_turn(Solving& solving);
  /// Hands over what there is.
  void turn(Solving& solving);

 private:
  int until_look_ = 0;  // examples until the learner is asked
  std::atomic<bool> cancelled_{false};
  boost::asio::thread_pool worker_{1};
};

/// Keeps the model of a learner that solves (Solving) new while it learns, on a thread of its own at a lower
/// priority. The trainer copies what is solved from, in slices of half a millisecond. They take a tenth of
/// its time while it has work, and follow one another while it has none. It never waits for such a solve.
/// When to begin is SolveSchedule's. What the learner will need at a fixed example (Solving::take_ahead()) is
/// solved for on the same thread, as soon as it can be.
///
/// Thread-safety: all members are for the trainer's thread, between two examples. Construction and
/// destruction happen when no trainer runs.
class ModelSolver {
 public:
  using Time = SolveSchedule::Time;
  /// Called on the trainer's thread, once: true, the model is there; false, there will be none: the end came.
  using Done = std::function<void(bool there)>;

  /// Both must outlive this, and `solving` belongs to `learner`.
  ModelSolver(Learner& learner, Solving& solving, BlockQueue& queue);
  /// Gives up a solve that is under way.
  ~ModelSolver();

  /// Whether turn() has something to do. Cheap: asked for each example.
  bool wants_turn();
  /// While examples come in: begins what is due, or copies a slice.
  void turn();

  /// When quiet_turn() has something to do, with nothing to learn since `quiet_since`; none: not before
  /// another example or task. Examples that come as tasks (plans that are told of) leave pauses between them
  /// that are too short to be quiet: slices are then as far apart as while examples come in.
  std::optional<Time> next_quiet_turn(Time quiet_since) const;
  void quiet_turn(Time quiet_since);

  /// Whether the learner has a model to answer with; `fresh`: of the last example. Before the first example
  /// that is the model of nothing.
  bool has_model(bool fresh) const;
  /// Calls `done` when it has one: a first one that has half of the present examples, or, `fresh`, one of a
  /// copy that begins after this call. Learning goes on.
  void await_model(bool fresh, Done done);
  /// Calls `done` when it has one of a copy that begins after this call, with what is wished for of `label`,
  /// one of several.
  void await_wish(const SolutionWish& wish, Done done, std::size_t label = 0);
  /// await_model(false) that returns when it is there: learning stands still, once in the life of a daemon at
  /// most.
  void need_model();

  /// Gives up a solve that is under way, and waits for its end.
  void halt();
  /// Another learner takes the place of the one before. Requests that wait get models of the new one.
  /// REQUIRES: halt(), and no turn since.
  void replace(Learner& learner, Solving& solving);

  /// No trainer runs from now on: waiting requests are told that there will be no model.
  void stop();

  /// When the copy of the learner's model was begun.
  std::chrono::steady_clock::time_point captured_at() const { return adopted_at_; }
  /// How long the last solve took, by the clock.
  std::optional<double> solve_seconds() const { return solve_seconds_; }

 private:
  enum class Stage : std::uint8_t { kFree, kCopying, kSolving };
  struct Finished {
    std::shared_ptr<const Solution> solution;
    std::chrono::nanoseconds work{};  // of a processor
    double seconds = 0;               // by the clock
  };
  struct Waiting {
    std::uint64_t copy;   // the first that will do
    std::uint64_t least;  // examples
    Done done;
    SolutionWish wish = {};
    std::size_t label = 0;  // of several, whose the wish is
  };

  bool is_due(Time now, Time quiet_since);
  void give_ahead();
  /// Begins when it `is_due`, goes on when `is_time_to_copy()`.
  template <class IsTime>
  void take_turn(bool is_due, const IsTime& is_time_to_copy);
  void give_up(std::chrono::nanoseconds work);
  void begin_copy();
  void copy_slice();
  void start_solve();
  Solving& solving_of(std::size_t label);
  void solve();
  void adopt();

  Learner* learner_;
  Solving* solving_;
  BlockQueue& queue_;

  Stage stage_ = Stage::kFree;
  SolveSchedule schedule_;
  bool has_nothing() const { return learner_->counts().examples + learner_->counts().missing == 0; }
  std::uint64_t copies_ = 0;  // begun
  std::chrono::steady_clock::time_point copied_at_{};
  std::chrono::steady_clock::time_point adopted_at_{};
  Time next_slice_{};
  int until_look_ = 0;                     // examples until the clock is looked at
  std::optional<std::uint64_t> in_model_;  // examples; none: no model yet
  std::uint64_t labels_in_model_ = 0;      // that came alone
  std::optional<double> solve_seconds_;
  std::vector<Waiting> waiting_;

  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::condition_variable done_;
  std::optional<Finished> finished_;  // under mutex_
  boost::asio::thread_pool worker_{1};
};

}  // namespace glimpse
