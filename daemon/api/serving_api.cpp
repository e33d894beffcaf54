#include "daemon/api/serving_api.h"

#include <fmt/format.h>
#include <memory>
#include <spdlog/spdlog.h>
#include <utility>

#include <boost/json.hpp>

#include "daemon/api/http_durable.h"
#include "daemon/http/respond_later.h"
#include "daemon/training/stream_processor.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

void tell(const StreamProcessor& processor) {
  const std::uint64_t examples = processor.learner().counts().examples;
  if (processor.freeze().is_frozen())
    return spdlog::warn(
        "frozen at example {}: labelled examples are judged and counted, and nothing is learned (POST "
        "/v1/freeze)",
        examples);
  spdlog::info("learning again at example {}: {} labelled examples came while frozen and are not learned",
               examples, processor.freeze().report().records);
}

std::string frozen_json(bool frozen, std::uint64_t examples, const CheckpointStatus* checkpoint) {
  return boost::json::serialize(boost::json::object{
             {"frozen", frozen},
             {"examples", examples},
             {"checkpoint", checkpoint != nullptr ? boost::json::value(checkpoint->name) : nullptr}}) +
         "\n";
}

}  // namespace

void ServingApi::freeze(bool frozen, const HttpRequest& request, Respond respond) {
  if (const auto key = unknown_key(request.query, {}))
    return respond(error_response(400, "unknown_parameter",
                                  request.path + " has no parameters, and so not " + quoted(*key)));
  // Somebody might believe that a body says which of the two is meant.
  if (!request.body.empty())
    return respond(error_response(
        400, "invalid_request",
        request.path + " takes no body: POST /v1/freeze ends learning, POST /v1/unfreeze goes on with it"));
  parts_.queue.post([this, frozen, respond = std::move(respond)](StreamProcessor& processor) mutable {
    if (processor.freeze().is_frozen() != frozen) {
      processor.freeze().set_frozen(frozen);
      processor.note_change();
      tell(processor);
      parts_.trainer.publish();
    }
    const std::uint64_t examples = processor.learner().counts().examples;
    if (!parts_.checkpointer.status().enabled)
      return respond_later(parts_.io, std::move(respond),
                           json_response(frozen_json(frozen, examples, nullptr)));
    parts_.checkpointer.request_if_changed([this, frozen, examples, respond = std::move(respond)](
                                               const Result<CheckpointStatus>& saved) mutable {
      respond_later(
          parts_.io, std::move(respond),
          saved ? json_response(frozen_json(frozen, examples, &*saved)) : not_durable(saved.error()));
    });
  });
}

}  // namespace glimpse
