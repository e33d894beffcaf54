#pragma once

#include <boost/asio/io_context.hpp>

#include "daemon/durability/checkpointer.h"
#include "daemon/http/http_types.h"
#include "daemon/training/block_queue.h"
#include "daemon/training/trainer.h"

namespace glimpse {

/// The part of the HTTP API with which an operator says what is learned: /v1/freeze and /v1/unfreeze. What
/// was asked takes effect between two examples, and is answered once a checkpoint holds it, where there are
/// any. Asked twice it changes nothing. I/O thread only.
class ServingApi {
 public:
  /// What it works with. References must outlive it.
  struct Parts {
    boost::asio::io_context& io;
    BlockQueue& queue;
    Trainer& trainer;
    Checkpointer& checkpointer;
  };

  explicit ServingApi(Parts parts) : parts_(parts) {}

  void freeze(bool frozen, const HttpRequest& request, Respond respond);

 private:
  Parts parts_;
};

}  // namespace glimpse
