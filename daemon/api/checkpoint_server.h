#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "daemon/api/http_api.h"
#include "daemon/training/block_queue.h"
#include "daemon/training/stream_processor.h"
#include "daemon/training/trainer.h"

namespace glimpse {

/// The state of a checkpoint, restored beside the one that learns.
struct RestoredModel {
  std::string name;  ///< of the checkpoint
  /// When it was written, by the clock that nobody sets: for its age.
  std::chrono::steady_clock::time_point written_at{};
  std::unique_ptr<StreamProcessor> processor;
};

/// The paths of HTTP that only read, answered by the model of a checkpoint: an HttpApi like that of the
/// running state, with a trainer thread and a queue of its own that learn nothing. So a checkpoint answers
/// whatever the running state answers, in the same turns, and its answers are those of a daemon that was
/// started from it. The header Glimpse-Checkpoint names it. A thread waits while nobody asks. Thread-safety:
/// answer() is for the I/O thread; the end is for any but its own trainer's, once no answer is on its way.
class CheckpointServer {
 public:
  using MakeFeed = std::function<std::shared_ptr<Feed>(StreamProcessor&, const std::shared_ptr<Door>&,
                                                       const BodyReading&)>;

  /// `main`: of the running state's API, whose loop, threads and connections are used. `make_feed` as there.
  CheckpointServer(RestoredModel model, const HttpApi::Parts& main, MakeFeed make_feed);
  ~CheckpointServer();
  CheckpointServer(const CheckpointServer&) = delete;
  CheckpointServer& operator=(const CheckpointServer&) = delete;

  /// `self`, which owns this, is kept until the answer is given.
  static void answer(const std::shared_ptr<CheckpointServer>& self, HttpRequest request, Respond respond);

  /// Requests that wait are given up. Twice is as once.
  void stop();

 private:
  RestoredModel model_;
  BlockQueue queue_;
  std::shared_ptr<Door> door_;
  Trainer trainer_;
  Checkpointer checkpointer_;  // that makes none
  HttpApi api_;
};

}  // namespace glimpse
