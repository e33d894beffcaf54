#pragma once

#include <functional>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include "daemon/block_queue.h"
#include "daemon/http_types.h"
#include "daemon/partial_bodies.h"
#include "daemon/plan_bodies.h"

namespace glimpse {

/// The part of the HTTP API for examples that are known in part: predictions from what is known, and which
/// further attributes a prediction would gain most from. The trainer gives a solution and a few covariances;
/// the arithmetic is the renderer's. I/O thread only.
class PartialApi {
 public:
  struct Parts {
    boost::asio::io_context& io;
    boost::asio::thread_pool& renderer;
    BlockQueue& queue;
    std::shared_ptr<Door> door;  ///< whose predictions are counted
    /// Runs a task on the trainer's thread once there is a model; see HttpApi.
    std::function<void(std::shared_ptr<Respond>, BlockQueue::Task)> with_model;
  };

  explicit PartialApi(Parts parts) : parts_(std::move(parts)) {}

  void predict(std::vector<KnownValues> examples, Respond respond);
  /// `request.for_prediction`.
  void choose(AskRequest request, Respond respond);

 private:
  struct Choosing;
  struct Gathering;

  /// Takes the covariances from the trainer, in slices, so that learning goes on; then calls `then` on the
  /// renderer.
  void gather(std::shared_ptr<Gathering> gathering, bool rest);
  void choose_next(std::shared_ptr<Choosing> choosing);

  Parts parts_;
};

}  // namespace glimpse
