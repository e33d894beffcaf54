#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "daemon/statistics/history_watch.h"
#include "daemon/statistics/statistics.h"
#include "daemon/training/block_queue.h"
#include "daemon/training/model_solver.h"
#include "daemon/training/stream_processor.h"

namespace glimpse {

/// The trainer thread: takes blocks from the queue through the processor, runs tasks between two examples,
/// and publishes Statistics. Nobody else touches the processor between start() and join(), except a thread
/// that works in the trainer's place while it waits (BlockQueue). 'On the trainer's thread' means both.
class Trainer {
 public:
  /// What the trainer reports, as callbacks.
  struct Hooks {
    std::function<void(const Feed&, const RecordError&)> error;  ///< on the trainer's thread
    std::function<void(double label)> learned;  ///< on the trainer's thread, for each example
    std::function<void()> spent;                ///< on the trainer's thread: nothing is bought any more
    std::function<void(const Statistics&)> published;  ///< on the trainer's thread, with every new copy
    std::function<std::uint64_t()> failures;  ///< on the trainer's thread: checkpoints that failed so far
    std::function<void(std::string reason)> stopped;  ///< once at the end; a reason: --strict stopped it
  };

  /// `solver`: keeps the learner's model new; nullptr: the learner does so itself, and `judges`, where there
  /// is one, solves for the models that judge.
  Trainer(StreamProcessor& processor, BlockQueue& queue, ModelSolver* solver, JudgeWorker* judges,
          std::vector<std::shared_ptr<Door>> doors, bool strict, Hooks hooks);
  ~Trainer();

  void start();
  void join();

  /// The newest copy. Any thread; waits for no learning.
  Statistics statistics() const;
  /// Grows while the trainer makes progress or is idle; a watchdog's pulse. Any thread.
  std::uint64_t pulse() const { return pulse_.load(std::memory_order_relaxed); }
  /// Marks that a model was copied out; on the trainer's thread, from a task.
  void note_snapshot() { snapshot_at_ = std::chrono::steady_clock::now(); }
  /// The learner is now of states that were there at `at`: model_facts() tells it. On the trainer's thread,
  /// from a task.
  void note_states(std::chrono::steady_clock::time_point at) { states_at_ = at; }
  /// Brings statistics() up to date; on the trainer's thread, from a task, before the task answers. The
  /// client may ask next for the status that the task changed. Costs a few strings.
  void publish();
  void publish_statistics();
  /// The model that the learner used last; none: none yet. On the trainer's thread, from a task.
  std::optional<ModelFacts> model_facts();

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  Statistics gather();
  void note_history(const Statistics& now);
  bool wants_turn();
  void take_turn();
  bool run_tasks();
  void run_task(const BlockQueue::Task& task);
  bool process(Block& block);
  void tell_failure(const std::string& door, const RecordError& error);
  bool note_failure();
  std::optional<Clock::time_point> next_quiet_turn() const;

  StreamProcessor& processor_;
  BlockQueue& queue_;
  ModelSolver* const solver_;
  JudgeWorker* const judges_;
  const std::vector<std::shared_ptr<Door>> doors_;
  const bool strict_;
  const Hooks hooks_;
  std::chrono::steady_clock::time_point snapshot_at_{};
  std::optional<ModelFacts> model_;
  std::optional<Clock::time_point> states_at_;
  HistoryWatch history_;
  Clock::time_point quiet_since_{};  // nothing was learned since then
  bool stands_in_ = false;           // another thread works in the trainer's place
  std::string reason_;               // why --strict stopped it
  std::atomic<std::uint64_t> pulse_{0};
  mutable std::mutex mutex_;
  Statistics published_;  // under mutex_
  std::thread thread_;
};

}  // namespace glimpse
