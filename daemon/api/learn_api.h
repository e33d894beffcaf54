#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include "daemon/api/query.h"
#include "daemon/durability/checkpointer.h"
#include "daemon/http/http_types.h"
#include "daemon/support/large_jobs.h"
#include "daemon/training/block_queue.h"
#include "data/formats.h"

namespace glimpse {

/// POST /v1/learn: the examples of a body go through the queue like those of any stream, one block of it
/// after the other, so that streams have their turns between. Once it was taken it is learned, whether its
/// client waits for the answer or has gone. With ?source=NAME&from=K they are the records behind the first K
/// of a named source (SOURCES.md), of which those that are inside already are passed over. I/O thread only.
class LearnApi {
 public:
  /// What it works with. References must outlive it.
  struct Parts {
    boost::asio::io_context& io;
    LargeJobs& jobs;
    BlockQueue& queue;
    Checkpointer& checkpointer;
    /// A feed for a request's body; called on the trainer's thread.
    std::function<std::shared_ptr<Feed>(StreamProcessor&, const BodyReading&)> make_feed;
  };

  explicit LearnApi(Parts parts) : parts_(std::move(parts)) {}

  void learn(HttpRequest request, Respond respond);

 private:
  struct Learning {
    BodyReading reading;
    std::shared_ptr<std::string> lines;
    std::string_view rest;             // that has not been pushed
    std::shared_ptr<const void> hold;  // what was begun is learned to its end
    std::shared_ptr<Feed> feed;
    bool is_begun = false;  // a block was pushed
    BlockResult result;     // of the blocks so far
    std::string source;     // empty: none
    std::optional<std::uint64_t> from;
    bool durable = false;
    Respond respond;
  };
  void take(const std::shared_ptr<Learning>& learning, std::string lines);
  void push_next(const std::shared_ptr<Learning>& learning);
  void done(const std::shared_ptr<Learning>& learning, BlockResult&& result);
  static Status read_source(const HttpRequest& request, bool is_empty, bool has_checkpoints,
                            Learning& learning);
  void open(StreamProcessor& processor, const std::shared_ptr<Learning>& learning);
  void push(std::shared_ptr<Block> block, bool again);
  void finish(Learning& learning);

  Parts parts_;
};

}  // namespace glimpse
