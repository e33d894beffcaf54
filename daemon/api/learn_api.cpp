#include "daemon/api/learn_api.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include <boost/asio/post.hpp>

#include "daemon/api/http_bodies.h"
#include "daemon/api/query.h"
#include "daemon/http/http_types.h"
#include "daemon/support/memory_trouble.h"
#include "daemon/support/prepared_post.h"
#include "daemon/training/stream_processor.h"
#include "data/text/number.h"
#include "data/text/text.h"
#include "json/json_elements.h"

namespace glimpse {

namespace asio = boost::asio;

namespace {
constexpr std::size_t kBlock = std::size_t{64} << 10;  // bytes of a body that are pushed at once

// With the counts, as a piece of a file may be read that others went before.
HttpResponse none_read(const BlockResult& result) {
  const RecordError& first = result.errors.front();
  HttpResponse response =
      error_response(400, "invalid_example", fmt::format("line {}: {}", first.record, first.message));
  response.body = none_read_json(result, std::move(response.body));
  return response;
}
}  // namespace

Status LearnApi::read_source(const HttpRequest& request, bool is_empty, bool has_checkpoints,
                             Learning& learning) {
  const bool is_named = has_key(request.query, "source");
  if (!is_named && has_key(request.query, "from"))
    return failure(ErrorCode::kInvalidInput, "from is for a named source (source=NAME)");
  if (!is_named) return {};
  for (const char* key : {"header", "delimiter", "first_line"})
    if (has_key(request.query, key))
      return failure(ErrorCode::kInvalidInput,
                     "{} is for bodies without a source: the records of a source are numbered, and its first "
                     "ones tell how all are read",
                     key);
  learning.source = query_value(request.query, "source");
  GLIMPSE_TRY(check_source_name("source", learning.source));
  if (!has_checkpoints)
    return failure(ErrorCode::kUnavailable,
                   "sources cannot be named: this glimpsed keeps no checkpoints (--state-directory DIR)");
  if (has_key(request.query, "from")) {
    const std::string text = query_value(request.query, "from");
    std::uint64_t from = 0;
    if (!read_index(text, from))
      return failure(ErrorCode::kInvalidInput, "from {} must be a whole number of records", in_quotes(text));
    learning.from = from;
  } else if (!is_empty) {
    return failure(ErrorCode::kInvalidInput,
                   "from is needed: how many records of source '{}' stand before those of this body",
                   learning.source);
  }
  return {};
}

void LearnApi::learn(HttpRequest request, Respond respond) {
  const auto reading = body_reading(request);
  if (!reading) return respond(error_response(reading.error()));
  const std::size_t body_bytes = request.body.size();
  const auto durable = wants_durable(request, parts_.checkpointer);
  if (!durable) return respond(error_response(durable.error()));
  auto learning = std::make_shared<Learning>();
  learning->reading = *reading;
  learning->durable = *durable;
  if (const Status status =
          read_source(request, request.body.empty(), parts_.checkpointer.status().enabled, *learning);
      !status)
    return respond(error_response(status.error()));
  learning->respond = std::move(respond);
  learning->hold = parts_.queue.hold();
  if (reading->format != Format::kNdjson) return take(learning, std::move(request.body));
  auto cut = [this, learning, body = std::move(request.body)]() mutable {
    auto lines = examples_as_lines(std::move(body));
    if (!lines) return respond_later(parts_.io, std::move(learning->respond), error_response(lines.error()));
    take(learning, std::move(*lines));
  };
  body_bytes <= BlockQueue::kSmallBlock ? cut() : parts_.jobs.post(std::move(cut));
}

// On the I/O thread, or a thread of LargeJobs.
void LearnApi::take(const std::shared_ptr<Learning>& learning, std::string lines) {
  learning->lines = std::make_shared<std::string>(std::move(lines));
  learning->rest = *learning->lines;
  // The feed shares the names of attributes with the trainer, so it is made there; then the block queues like
  // any other.
  parts_.queue.post([this, learning](StreamProcessor& processor) { open(processor, learning); });
}

void LearnApi::open(StreamProcessor& processor, const std::shared_ptr<Learning>& learning) {
  if (processor.schema().form.table) {  // else the sample of the body shows its encoding
    *learning->lines = body_as_utf8(std::move(*learning->lines), learning->reading.format);
    learning->rest = *learning->lines;
  }
  const auto feed = parts_.make_feed(processor, learning->reading);
  learning->feed = feed;
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
    if (learning->rest.empty()) return finish(*learning);
  }
  asio::post(parts_.io, [this, learning] { push_next(learning); });
}

void LearnApi::push_next(const std::shared_ptr<Learning>& learning) {
  auto block = std::make_shared<Block>();
  const Feed& feed = *learning->feed;
  const Framing framing = learning->is_begun ? feed.framing.behind_header() : feed.framing;
  learning->is_begun = true;
  block->feed = learning->feed;
  block->bytes =
      Bytes(learning->rest.substr(0, length_of_records(learning->rest, framing, kBlock)), learning->lines);
  learning->rest.remove_prefix(block->bytes.size());
  block->is_last = learning->rest.empty();
  block->done = [this, learning](BlockResult&& result) { done(learning, std::move(result)); };
  push(std::move(block), false);
}

// On the trainer's thread.
void LearnApi::done(const std::shared_ptr<Learning>& learning, BlockResult&& result) {
  BlockResult& all = learning->result;
  all.learned += result.learned;
  all.skipped += result.skipped;
  all.beyond_budget += result.beyond_budget;
  all.frozen += result.frozen;
  all.held_out += result.held_out;
  all.unlabelled += result.unlabelled;
  all.error_count += result.error_count;
  all.gave_up = result.gave_up;
  const std::size_t room = BlockResult::kMostErrors - all.errors.size();
  std::move(result.errors.begin(),
            result.errors.begin() + static_cast<std::ptrdiff_t>(std::min(room, result.errors.size())),
            std::back_inserter(all.errors));
  if (learning->rest.empty() || all.gave_up || learning->feed->retired) return finish(*learning);
  asio::post(parts_.io,
             [this, learning] { if_memory_allows("a request was refused", [&] { push_next(learning); }); });
}

void LearnApi::push(std::shared_ptr<Block> block, bool again) {
  std::function<void()> room;
  try {
    room = [this, block, post = std::make_shared<PreparedPost>()] {
      (*post)(parts_.io,
              [this, block] { if_memory_allows("a request was refused", [&] { push(block, true); }); });
    };
  } catch (const std::bad_alloc&) {
    if (again) parts_.queue.leave();
    throw;
  }
  parts_.queue.push(*block, again, std::move(room));
}

// On the trainer's thread.
void LearnApi::finish(Learning& learning) {
  const Feed& feed = *learning.feed;
  const BlockResult& result = learning.result;
  learning.hold.reset();
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
  } else if (result.learned + result.skipped + result.held_out + result.unlabelled == 0 &&
             !result.errors.empty()) {
    return respond_later(parts_.io, std::move(learning.respond), none_read(result));
  }
  const auto table = table_facts(feed);
  if (!learning.durable)
    return respond_later(parts_.io, std::move(learning.respond),
                         json_response(learned_json(result, source, table)));
  if (source) source->durable = source->inside;
  parts_.checkpointer.request(
      [this, respond = std::move(learning.respond),
       body = learned_json(result, source, table)](const Result<CheckpointStatus>& saved) mutable {
        respond_later(parts_.io, std::move(respond),
                      saved ? json_response(std::move(body)) : not_durable(saved.error()));
      });
}

}  // namespace glimpse
