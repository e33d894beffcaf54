#include "daemon/learn_api.h"

#include <fmt/format.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "daemon/greeting.h"
#include "daemon/http_bodies.h"
#include "daemon/http_durable.h"
#include "daemon/json_elements.h"
#include "daemon/memory_trouble.h"
#include "daemon/prepared_post.h"
#include "daemon/respond_later.h"
#include "daemon/stream_processor.h"
#include "data/number.h"
#include "data/text.h"

namespace glimpse {

namespace asio = boost::asio;

Result<Format> body_format(const HttpRequest& request) {
  const std::string name = query_value(request.query, "format");
  if (name.empty() || name == "json") return Format::kNdjson;
  return parse_format(name);
}

Status LearnApi::read_source(const HttpRequest& request, bool has_checkpoints, Learning& learning) {
  const bool is_named = has_key(request.query, "source");
  if (!is_named && has_key(request.query, "from"))
    return failure(ErrorCode::kInvalidInput, "from is for a named source (source=NAME)");
  if (!is_named) return {};
  learning.source = query_value(request.query, "source");
  if (Status status = check_source_name("source", learning.source); !status) return status;
  if (!has_checkpoints)
    return failure(ErrorCode::kUnavailable,
                   "sources cannot be named: this glimpsed keeps no checkpoints (--state-directory DIR)");
  if (has_key(request.query, "from")) {
    const std::string text = query_value(request.query, "from");
    std::uint64_t from = 0;
    if (!read_index(text, from))
      return failure(ErrorCode::kInvalidInput, "from '{}' must be a whole number of records",
                     text.substr(0, 40));
    learning.from = from;
  } else if (!learning.lines.empty()) {
    return failure(ErrorCode::kInvalidInput,
                   "from is needed: how many records of source '{}' stand before those of this body",
                   learning.source);
  }
  return {};
}

void LearnApi::learn(HttpRequest request, Respond respond) {
  // Who asks for more than there is must not believe to have it.
  if (const auto key = unknown_key(request.query, {"format", "source", "from", "durable"}))
    return respond(error_response(
        400, "unknown_parameter",
        "/v1/learn has no parameter " + quoted(*key) + "; there are format, source, from and durable"));
  const auto format = body_format(request);
  if (!format) return respond(error_response(format.error()));
  const auto durable = wants_durable(request, parts_.checkpointer);
  if (!durable) return respond(error_response(durable.error()));
  auto lines = *format == Format::kNdjson ? examples_as_lines(request.body)
                                          : Result<std::string>(std::move(request.body));
  if (!lines) return respond(error_response(lines.error()));
  auto learning = std::make_shared<Learning>();
  learning->format = *format;
  learning->lines = std::move(*lines);
  learning->durable = *durable;
  if (const Status status = read_source(request, parts_.checkpointer.status().enabled, *learning); !status)
    return respond(error_response(status.error()));
  learning->respond = std::move(respond);
  // The feed shares the names of attributes with the trainer, so it is made there; then the block queues like
  // any other.
  parts_.queue.post([this, learning](StreamProcessor& processor) { open(processor, learning); });
}

void LearnApi::open(StreamProcessor& processor, const std::shared_ptr<Learning>& learning) {
  auto block = std::make_shared<Block>();
  const auto feed = parts_.make_feed(processor, learning->format);
  feed->replies = Replies::kNone;
  if (!learning->source.empty()) {
    feed->retire = [] {};  // which shows when its turn comes
    const Status opened = processor.open_source(feed, learning->source, learning->from);
    if (!opened) {
      const bool is_gap = opened.error().code == ErrorCode::kInvalidInput;
      return respond_later(parts_.io, std::move(learning->respond),
                           is_gap ? error_response(409, "records_missing", opened.error().message)
                                  : error_response(opened.error()));
    }
    if (learning->lines.empty()) return finish(*learning, *feed, {});
  }
  block->feed = feed;
  block->bytes = Bytes(std::move(learning->lines));
  block->done = [this, learning, feed](BlockResult&& result) { finish(*learning, *feed, result); };
  asio::post(parts_.io, [this, block] { push(block, false); });
}

void LearnApi::push(std::shared_ptr<Block> block, bool again) {
  std::function<void()> room;
  try {
    room = [this, block, post = std::make_shared<PreparedPost>()] {
      (*post)(parts_.io,
              [this, block] { if_memory_allows("a request was given up", [&] { push(block, true); }); });
    };
  } catch (const std::bad_alloc&) {
    if (again) parts_.queue.leave();
    throw;
  }
  parts_.queue.push(*block, again, std::move(room));
}

// On the trainer's thread.
void LearnApi::finish(Learning& learning, const Feed& feed, const BlockResult& result) {
  std::optional<SourceCounts> source;
  if (feed.source) {
    source = SourceCounts{feed.source->records, feed.source->durable};
    if (result.gave_up)
      return respond_later(
          parts_.io, std::move(learning.respond),
          error_response(503, "unavailable",
                         fmt::format("there was no memory for record {} of source '{}': send it again, "
                                     "and what follows",
                                     source->inside + 1, learning.source)));
    if (feed.retired)
      return respond_later(parts_.io, std::move(learning.respond),
                           error_response(409, "superseded",
                                          fmt::format("another request or connection carries source '{}' now",
                                                      learning.source)));
  } else if (result.learned == 0 && result.skipped == 0 && !result.errors.empty()) {
    return respond_later(parts_.io, std::move(learning.respond),
                         error_response(400, "invalid_example",
                                        fmt::format("line {}: {}", result.errors.front().record,
                                                    result.errors.front().message)));
  }
  if (!learning.durable)
    return respond_later(parts_.io, std::move(learning.respond), json_response(learned_json(result, source)));
  if (source) source->durable = source->inside;
  parts_.checkpointer.request(
      [this, respond = std::move(learning.respond),
       body = learned_json(result, source)](const Result<CheckpointStatus>& saved) mutable {
        respond_later(parts_.io, std::move(respond),
                      saved ? json_response(std::move(body)) : not_durable(saved.error()));
      });
}

}  // namespace glimpse
