#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "checkpoint/checkpoint_folder.h"
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

/// The models of checkpoints that are asked for by name (?checkpoint=NAME): restored on a thread of
/// LargeJobs, one at a time, beside the running state, which goes on learning. A few stay in memory, so that
/// who compares asks again without waiting, and go when others need their places or nobody has asked for
/// kIdle. One that is at work is not dropped: where all places are taken by such the request is refused
/// (503). Only what is still in the folder, as it was restored, answers.
/// Memory: the learners of `most` checkpoints, whose files have `most_bytes` together; while one is restored
/// its file and its arrays beside. Thread-safety: full, where nothing else is said.
class CheckpointModels {
 public:
  /// A processor as a state left it; called on threads of LargeJobs, one at a time.
  using Rebuild = std::function<Result<std::unique_ptr<StreamProcessor>>(const State&)>;
  using MakeFeed = CheckpointServer::MakeFeed;
  using Server = std::shared_ptr<CheckpointServer>;

  static constexpr std::chrono::minutes kIdle{5};
  static constexpr std::size_t kMostWaiting =
      4;  ///< requests for one that is not in memory; more are refused

  struct Limits {
    std::size_t most = 2;                               ///< --max-compared
    std::uint64_t most_bytes = std::uint64_t{1} << 30;  ///< --compared-memory
    std::uint64_t most_promoted = ~std::uint64_t{0};    ///< bytes of one that is promoted
  };

  /// What it works with; `main` is of the running state's API. References must outlive it.
  CheckpointModels(HttpApi::Parts main, CheckpointFolder folder, Rebuild rebuild, MakeFeed make_feed,
                   Limits limits);
  /// No trainer's thread of one may wait for another: stop() comes first.
  ~CheckpointModels();

  /// Whether a path answers from a checkpoint: it only reads.
  static bool takes_checkpoint(std::string_view path);
  /// A request that has ?checkpoint= on such a path. I/O thread.
  void answer(HttpRequest request, Respond respond);

  /// The state of a checkpoint that is to be promoted, and its name. On a thread of LargeJobs. Errors:
  /// checkpoint_refusal()'s.
  Result<RestoredModel> restore_for_good(const std::string& text);

  /// Options have changed: what is in memory is restored again when it is asked for.
  void set_rebuild(Rebuild rebuild);

  /// Ends all trainers; requests that wait are given up. Before the threads of LargeJobs end.
  void stop();

  const CheckpointFolder& folder() const { return folder_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    CheckpointFolder::Listed file;
    Server server;
    Clock::time_point asked_at;
    bool is_open = false;  // whether labels are classes: nothing says so yet
  };

  Result<Server> get(const std::string& text);
  Status wait_in_line();
  Server find(const CheckpointFolder::Listed& file);
  bool has_classes() const;
  Status make_room(std::uint64_t bytes);
  void drop_idle(Clock::time_point asked_before);
  Result<RestoredModel> restore(const CheckpointFolder::Listed& file, std::uint64_t most_bytes);
  Server serve(RestoredModel model);
  void await_idle();

  const HttpApi::Parts main_;
  const CheckpointFolder folder_;
  const MakeFeed make_feed_;
  const Limits limits_;
  const std::shared_ptr<const int> alive_ = std::make_shared<const int>(0);  // as long as the threads
  boost::asio::steady_timer idle_;                                           // I/O thread
  bool idle_set_ = false;                                                    // I/O thread
  std::mutex restoring_;                                                     // held while one is restored
  std::mutex mutex_;
  Rebuild rebuild_;             // under mutex_
  bool stopped_ = false;        // under mutex_
  std::size_t waiting_ = 0;     // under mutex_: for `restoring_`
  std::vector<Entry> entries_;  // under mutex_
  std::vector<Entry> retired_;  // under mutex_: at work, and not for others any more
};

/// Why a checkpoint is not answered from or promoted, as HTTP tells it: invalid_checkpoint (400),
/// unknown_checkpoint (404), damaged_checkpoint and other_options (409), checkpoint_too_large (413),
/// unavailable (503).
HttpResponse checkpoint_refusal(const std::string& text, const Error& error);

}  // namespace glimpse
