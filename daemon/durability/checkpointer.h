#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "checkpoint/checkpoint_store.h"
#include "daemon/feeds/source_table.h"
#include "daemon/statistics/statistics.h"
#include "daemon/training/block_queue.h"

namespace glimpse {

/// Makes checkpoints: the trainer copies its state between two examples, which is all that learning waits
/// for; the worker writes the copy. At most one is being written; requests that come meanwhile share the next
/// one. The copy's memory is kept and used again. Thread-safety: request() and status() from any thread.
class Checkpointer {
 public:
  using Clock = std::chrono::steady_clock;
  /// Called once; destroyed without a call where there is no memory for an answer.
  using Done = std::function<void(Result<CheckpointStatus>)>;

  /// Called before each checkpoint is written, on the thread that writes it. On an error nothing is written.
  using Claim = std::function<Status()>;

  /// Whether a start could go on from a state. Asked of every state before it is written, on the thread that
  /// writes it. A state that could not be restored is not saved, and that checkpoint has failed.
  using Check = std::function<Status(const State&)>;

  /// `store` nullptr: checkpoints are off, and every request fails (kUnavailable). Without `claim` or `check`
  /// nothing is asked before. The others must outlive this.
  Checkpointer(CheckpointStore* store, Claim claim, Check check, BlockQueue& queue,
               boost::asio::thread_pool& worker);

  /// A checkpoint of a state no older than this call. `done` (may be empty) is called on the worker when it
  /// is durable, or has failed.
  void request(Done done);

  /// The same, but nothing is written when nothing changed since the last success; `done` is then called on
  /// the trainer's thread.
  void request_if_changed(Done done);

  /// On the trainer's thread, between two examples.
  void capture(StreamProcessor& processor);

  /// Before start and after the end, when no trainer runs: captures and writes on this thread.
  Status save_now(StreamProcessor& processor);

  /// While the trainer runs, on its thread between two examples: the same once what is being written is
  /// written. Learning waits for both.
  Result<CheckpointStatus> save_between(StreamProcessor& processor);

  /// After save_now(): those who still wait for a checkpoint are told how it went.
  void answer_waiting(const Status& saved);

  CheckpointStatus status(Clock::time_point now = Clock::now()) const;

  /// How often checkpoints are to be made; 0: only when somebody asks. A checkpoint is overdue when it was
  /// asked for, and neither became durable nor turned out to be needless, for three times as long, and the
  /// time of the longest write so far, and for at least a minute. Any thread.
  void set_every(std::chrono::milliseconds every) { every_ = every; }
  /// Logs a checkpoint that is overdue, once for each. Any thread.
  void note_overdue(Clock::time_point now = Clock::now());

  /// CheckpointStatus::failures alone. Any thread.
  std::uint64_t failures() const;
  /// What was restored counts as the newest checkpoint.
  void note_restored(const std::string& name, std::uint64_t examples);

 private:
  void note_asked();
  void post_capture();
  void take_state(const StreamProcessor& processor);
  void write();
  void end(const Status& status);
  void answer(std::vector<Done> waiting, const Status& status);
  Error note_failure(Error error, Clock::time_point begin);
  void note_success(CheckpointStore::Saved saved, Clock::time_point begin);
  std::optional<Clock::duration> overdue_by(Clock::time_point now) const;
  void reset_unsaved_reports();
  Status save_state();
  Result<CheckpointStore::Saved> try_to_save();

  CheckpointStore* const store_;
  const Claim claim_;
  const Check check_;
  BlockQueue& queue_;
  boost::asio::thread_pool& worker_;

  std::atomic<std::chrono::milliseconds> every_{std::chrono::milliseconds{0}};

  State state_;               // of the checkpoint that set busy_
  bool is_captured_ = false;  // it is whole
  std::uint64_t captured_examples_ = 0;
  std::uint64_t captured_records_ = 0;
  std::vector<SourceMark> captured_sources_;
  double captured_pause_ = 0;

  mutable std::mutex mutex_;
  CheckpointStatus status_;  // under mutex_, as all below
  std::uint64_t saved_records_ = ~std::uint64_t{0};
  std::uint64_t failures_in_row_ = 0;
  Clock::time_point failure_told_at_{};
  std::optional<Clock::time_point> asked_at_;  // and nothing became durable since
  Clock::duration longest_{};                  // to write a checkpoint
  bool is_overdue_told_ = false;
  std::condition_variable written_;
  bool busy_ = false;
  bool again_ = false;
  std::vector<Done> waiting_;    // for the next capture
  std::vector<Done> writing_;    // for the one being written
  std::set<std::string> reset_;  // arrays of reports that could not be saved, which were logged
};

}  // namespace glimpse
