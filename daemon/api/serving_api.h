#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "daemon/durability/checkpointer.h"
#include "daemon/http/http_types.h"
#include "daemon/support/large_jobs.h"
#include "daemon/training/block_queue.h"
#include "daemon/training/model_solver.h"
#include "daemon/training/trainer.h"

namespace glimpse {

class CheckpointModels;
struct RestoredModel;

/// The part of the HTTP API with which an operator says what is learned, and by which model: /v1/freeze,
/// /v1/unfreeze and /v1/promote, and /v1/checkpoints, which lists what may be promoted. What was asked takes
/// effect between two examples, and is answered once a checkpoint holds it, where there are any. I/O thread
/// only.
class ServingApi {
 public:
  /// What it works with. References must outlive it.
  struct Parts {
    boost::asio::io_context& io;
    LargeJobs& jobs;
    BlockQueue& queue;
    Trainer& trainer;
    ModelSolver* solver;  ///< nullptr: the learner has a model at any time
    Checkpointer& checkpointer;
    CheckpointModels* checkpoints;                   ///< nullptr: there are none
    std::function<void(StreamProcessor&)> promoted;  ///< as of HttpApi
  };

  explicit ServingApi(Parts parts) : parts_(std::move(parts)) {}

  /// Asked twice it changes nothing.
  void freeze(bool frozen, const HttpRequest& request, Respond respond);
  /// Asked twice it takes the model of that checkpoint twice, and so forgets what came between.
  void promote(const HttpRequest& request, Respond respond);
  void list(const HttpRequest& request, Respond respond);

 private:
  /// The name of a checkpoint of the state of now; empty: none could be written. Waits for it.
  std::string keep_present();
  void promote_now(const std::string& text, const std::shared_ptr<Respond>& respond);
  Result<CheckpointStatus> save_now(StreamProcessor& processor);
  Status take(StreamProcessor& processor, RestoredModel& model, Result<CheckpointStatus>& saved);

  Parts parts_;
};

/// 409: there is no state directory, and so no checkpoint.
HttpResponse no_checkpoints();

/// 503: what takes several turns of the trainer's began with a model that is not there any more.
HttpResponse model_was_replaced();

}  // namespace glimpse
