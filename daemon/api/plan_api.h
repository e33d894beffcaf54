#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <boost/asio/io_context.hpp>

#include "daemon/api/plan_answers.h"
#include "daemon/bodies/plan_bodies.h"
#include "daemon/durability/checkpointer.h"
#include "daemon/http/http_types.h"
#include "daemon/support/large_jobs.h"
#include "daemon/training/block_queue.h"
#include "daemon/training/trainer.h"

namespace glimpse {

/// The part of the HTTP API that buys attributes: /v1/ask, /v1/tell and /v1/plans. Small bodies are read, and
/// small answers written, on the I/O thread; larger ones on a thread of LargeJobs. The work between belongs
/// to the trainer, in slices, so that learning goes on beside large batches. Of a large /v1/tell some items
/// at a time are read, told and answered, whether its client waits for it or has gone: what was bought is not
/// lost. The status that is asked for after an answer counts what was answered. I/O thread only.
class PlanApi {
 public:
  /// What it works with. References must outlive it.
  struct Parts {
    boost::asio::io_context& io;
    LargeJobs& jobs;
    BlockQueue& queue;
    Trainer& trainer;
    Checkpointer& checkpointer;
    std::shared_ptr<Door> door;  ///< whose examples are counted
    std::chrono::milliseconds default_ttl;
    std::function<void(AskRequest, Respond)> choose;  ///< asks that are for a prediction
  };

  explicit PlanApi(Parts parts) : parts_(std::move(parts)) {}

  void ask(HttpRequest request, Respond respond);
  void tell(HttpRequest request, Respond respond);
  void list(const HttpRequest& request, Respond respond);
  /// `id`: what follows /v1/plans/ in the path.
  void abandon(std::string id, Respond respond);

 private:
  struct Asking;
  struct Telling;

  void read_ask_of(const std::shared_ptr<Asking>& asking, std::string_view body);
  void go_on_asking(const std::shared_ptr<Asking>& asking);
  void tell_large(Telling& telling);
  bool tell_some(Telling& telling, StreamProcessor& processor);
  void refuse(Telling& telling, const Error& error);
  static void write_results(Telling& telling);
  static HttpResponse finished(Telling& telling);
  /// `rest`: others have had their turn since the slice before.
  void resolve_slice(std::shared_ptr<Asking> asking, bool rest);
  void ask_slice(std::shared_ptr<Asking> asking, bool rest);
  void tell_slice(std::shared_ptr<Telling> telling, bool rest);
  /// Calls `respond` on the I/O thread with what `make` makes, where that costs least. From any thread.
  void answer(std::size_t size, Respond respond, std::function<HttpResponse()> make);
  /// The same, once a checkpoint of now or later is durable, where that was asked for.
  void answer_durably(bool durable, std::size_t size, Respond respond, std::function<HttpResponse()> make);

  Parts parts_;
};

}  // namespace glimpse
