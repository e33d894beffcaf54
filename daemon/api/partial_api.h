#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include "daemon/api/plan_answers.h"
#include "daemon/bodies/partial_bodies.h"
#include "daemon/bodies/plan_bodies.h"
#include "daemon/http/http_types.h"
#include "daemon/support/large_jobs.h"
#include "daemon/training/block_queue.h"

namespace glimpse {

/// The part of the HTTP API for examples that are known in part: predictions from what is known, and which
/// further attributes a prediction would gain most from. The trainer gives a solution and a few covariances;
/// the arithmetic is the renderer's. I/O thread only.
class PartialApi {
 public:
  /// What it works with. References must outlive it.
  struct Parts {
    boost::asio::io_context& io;
    boost::asio::thread_pool& renderer;  ///< for arithmetic that is quick
    LargeJobs& jobs;                     ///< for the other
    BlockQueue& queue;
    std::shared_ptr<Door> door;  ///< whose predictions are counted
    /// Runs a task on the trainer's thread once there is a model; see HttpApi.
    std::function<void(std::shared_ptr<Respond>, BlockQueue::Task)> with_model;
    std::vector<std::string> labels = {};  ///< where there are several
  };

  explicit PartialApi(Parts parts) : parts_(std::move(parts)) {}

  /// A body that holds_partial_examples(), and is small. `top`: parts of each prediction that are told of,
  /// see Explanation; 0: no reasons.
  void predict(std::string_view body, std::size_t top, PredictAs as, std::size_t label, Respond respond);
  /// Any such body, on a thread of LargeJobs: its examples are read, resolved and predicted for some at a
  /// time, all with one solution. Responds on the I/O thread, or lets `respond` go when the client has gone.
  void predict_large(HttpRequest request, PredictAs as, std::size_t label,
                     const std::shared_ptr<Respond>& respond);
  /// `request.for_prediction`.
  void choose(AskRequest request, Respond respond);

 private:
  struct Batch;
  struct Choosing;
  struct Gathering;

  /// Takes the covariances from the trainer, in slices, so that learning goes on; then calls `then` on the
  /// renderer.
  void gather(std::shared_ptr<Gathering> gathering, bool rest);
  static bool gather_some(Gathering& gathering, const StreamProcessor& processor);
  void prepare(Batch& batch, StreamProcessor& processor) const;
  static void prepare_reasons(Batch& batch, const StreamProcessor& processor);
  static void predict_batch(Batch& batch);
  static HttpResponse classes_answer(const Batch& batch);
  void choose_next(std::shared_ptr<Choosing> choosing);

  Parts parts_;
};

}  // namespace glimpse
