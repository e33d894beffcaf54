#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "daemon/api/partial_api.h"
#include "daemon/api/query.h"
#include "daemon/http/http_types.h"
#include "daemon/support/large_jobs.h"
#include "daemon/training/block_queue.h"
#include "daemon/training/trainer.h"

namespace glimpse {

/// POST /v1/predict. A body of at most BlockQueue::kSmallBlock is one task of the trainer's. A larger one has
/// a thread of its own (LargeJobs), which cuts it into blocks of records and writes the numbers down. The
/// trainer works the blocks off in turns of kTrainerTurn. Other tasks have their turns between, and so has
/// learning. All predictions of an answer are made with one model, that of the first turn, whose `examples`
/// it tells (PinnedModel). A client that goes away midway ends the work. Memory of a request: PREDICTIONS in
/// SECURITY.md. I/O thread only.
/// Headers of an answer that say what its model is of.
using ModelHeaders = std::vector<std::pair<std::string, std::string>>;

class PredictApi {
 public:
  /// Runs a task on the trainer's thread once there is a model; see HttpApi. `is_short`: a short task.
  using WithModel =
      std::function<void(bool is_short, const std::shared_ptr<Respond>& respond, BlockQueue::Task task)>;
  /// What it works with. References must outlive it.
  struct Parts {
    boost::asio::io_context& io;
    LargeJobs& jobs;
    BlockQueue& queue;
    Trainer& trainer;
    /// A feed for a request's body; called on the trainer's thread.
    std::function<std::shared_ptr<Feed>(StreamProcessor&, const BodyReading&)> make_feed;
    PartialApi& partial;  ///< for examples that are known in part
    WithModel with_model;
    std::vector<std::string> labels = {};  ///< where there are several
    /// Of an answer: what the model is of that the task of the trainer finds. Empty: there is none.
    std::function<ModelHeaders()> headers = {};
  };

  explicit PredictApi(Parts parts) : parts_(std::move(parts)) {}

  void predict(HttpRequest request, Respond respond);

 private:
  struct Work;

  /// What a body is to be predicted as.
  struct Question {
    std::size_t top = 0;
    PredictAs as = PredictAs::kUsual;
    std::optional<std::size_t> label;  ///< of several; none: all of them
    bool errors = false;               ///< also of examples that lack no value
  };
  void predict_small(const BodyReading& reading, const Question& question, std::string lines,
                     const std::shared_ptr<Respond>& respond);
  bool tells_of_all(const Question& question) const { return parts_.labels.size() > 1 && !question.label; }
  void predict_large(const BodyReading& reading, const Question& question, HttpRequest request,
                     const std::shared_ptr<Respond>& respond);
  void predict_blocks(Work& work, StreamProcessor& processor);
  std::uint64_t model_examples();

  Parts parts_;
};

}  // namespace glimpse
