#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "daemon/fleet/fleet_report.h"
#include "daemon/fleet/state_chunks.h"
#include "daemon/training/block_queue.h"
#include "daemon/training/model_solver.h"
#include "daemon/training/stream_processor.h"
#include "daemon/training/trainer.h"
#include "merging/merge_tree.h"

namespace glimpse {

/// What the model of a fleet was made of.
struct FleetModelReport {
  /// Of each partition the offset of the first message that is not in the model; none: it has no state.
  std::vector<std::optional<std::uint64_t>> positions;
  std::uint64_t examples = 0;
  std::uint64_t folds = 0;                          ///< since the start
  std::chrono::duration<double> fold{0};            ///< what the last one took, until queries have its model
  std::chrono::steady_clock::time_point made_at{};  ///< when the states of the last one were there
  bool waits = false;                               ///< newer states are there, and are not in it yet
  std::string error;  ///< why the newest states cannot be folded; empty: they can
  /// Partitions whose states are not in the model, as they do not fit those of most, and why.
  std::map<std::uint32_t, std::string> left_out;
};

/// Folds the newest states of a fleet's partitions into the model that this instance answers with, on a
/// thread of its own. What it is made of are the states alone: the same positions give the same bits on every
/// instance. Where states come faster than they are folded, the newest are. A partition whose state does not
/// fit those of most (MergeTree::leave_out_misfits()) is left out until it does, and the others go on.
class FleetModel {
 public:
  using Rebuild = std::function<Result<std::unique_ptr<StreamProcessor>>(const State&)>;

  /// What it works with. References must outlive it.
  struct Parts {
    BlockQueue& queue;
    Trainer& trainer;
    ModelSolver* solver;  ///< nullptr: the learner has a model at any time
    Rebuild rebuild;
    std::function<void(StreamProcessor&)> promoted;  ///< on the trainer's thread
  };

  explicit FleetModel(Parts parts);
  /// stop().
  ~FleetModel();

  /// Once it is known how many there are; before put().
  void begin(std::uint32_t partitions);
  /// The newest state of that partition. Any thread. Does not wait.
  void put(std::uint32_t partition, const StateVersion& version, std::shared_ptr<const State> state);
  /// Ends the thread.
  void stop();

  /// Any thread. Within a task of the trainer, `positions`, `examples` and `made_at` are those of the model
  /// that the task finds.
  FleetModelReport report() const;

 private:
  struct Found {
    StateVersion version;
    std::shared_ptr<const State> state;
  };

  void run();
  void put_into_tree(const std::map<std::uint32_t, Found>& found);
  Status fold(std::chrono::steady_clock::time_point states_at);
  std::map<std::uint32_t, std::string> left_out() const;
  Status adopt(const State& state, std::chrono::steady_clock::time_point states_at);
  void note_adopted(std::uint64_t examples, std::chrono::steady_clock::time_point states_at);

  const Parts parts_;
  std::optional<MergeTree> tree_;                      // the thread's own
  std::vector<std::optional<std::uint64_t>> in_tree_;  // the same: positions
  std::map<std::uint32_t, std::string> unusable_;      // the same: whose newest states are no parts, and why
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint32_t, Found> found_;  // under mutex_
  FleetModelReport report_;               // under mutex_
  std::uint32_t partitions_ = 0;          // under mutex_
  bool stopping_ = false;                 // under mutex_
  std::thread thread_;
};

/// What is told of a fleet: its partitions, and the model that this instance answers with.
struct FleetFacts {
  FleetReport report;
  FleetModelReport model;
};

}  // namespace glimpse
