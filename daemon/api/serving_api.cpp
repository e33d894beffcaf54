#include "daemon/api/serving_api.h"

#include <fmt/format.h>
#include <future>
#include <new>
#include <spdlog/spdlog.h>
#include <utility>

#include <boost/json.hpp>

#include "base/at_end.h"
#include "daemon/api/checkpoint_models.h"
#include "daemon/api/query.h"
#include "daemon/http/http_types.h"
#include "daemon/training/stream_processor.h"
#include "daemon/training/trainer_turn.h"
#include "data/text/text.h"

namespace glimpse {

namespace json = boost::json;

namespace {

void tell_of_freeze(const StreamProcessor& processor) {
  const std::uint64_t examples = processor.learner().counts().examples;
  if (processor.freeze().is_frozen())
    return spdlog::warn(
        "frozen at example {}: labelled examples are evaluated and counted, and nothing is learned (POST "
        "/v1/freeze)",
        examples);
  spdlog::info("learning again at example {}: {} labelled examples came while frozen and are not learned",
               examples, processor.freeze().report().records);
}

json::value name_or_null(const CheckpointStatus* checkpoint) {
  return checkpoint != nullptr ? json::value(checkpoint->name) : json::value(nullptr);
}

std::string frozen_json(bool frozen, std::uint64_t examples, const CheckpointStatus* checkpoint) {
  const json::object body{
      {"frozen", frozen}, {"examples", examples}, {"checkpoint", name_or_null(checkpoint)}};
  return json::serialize(body) + "\n";
}

std::string promoted_json(const Promotion& promotion, const std::string& replaced, bool frozen,
                          const CheckpointStatus& checkpoint) {
  const json::object body{
      {"promoted", promotion.checkpoint},
      {"examples", promotion.examples},
      {"replaced_examples", promotion.replaced_examples},
      {"replaced_checkpoint", replaced.empty() ? json::value(nullptr) : json::value(replaced)},
      {"frozen", frozen},
      {"checkpoint", name_or_null(&checkpoint)}};
  return json::serialize(body) + "\n";
}

std::string checkpoints_json(const std::vector<CheckpointFolder::Listed>& listed) {
  json::array rows;
  for (const CheckpointFolder::Listed& one : listed)
    rows.push_back({{"name", one.name},
                    {"examples", one.parsed.examples},
                    {"bytes", one.bytes},
                    {"written_at", static_cast<double>(one.modified) * 1e-9}});
  return json::serialize(json::object{{"checkpoints", std::move(rows)}}) + "\n";
}

// It might be meant to say what is to be done.
std::optional<HttpResponse> refuse_body(const HttpRequest& request, const std::string& means) {
  if (request.body.empty()) return std::nullopt;
  return error_response(400, "invalid_request", request.path + " takes no body: " + means);
}

}  // namespace

HttpResponse no_checkpoints() {
  return error_response(409, "unavailable", "checkpoints are off: start with --state-directory DIR");
}

HttpResponse model_was_replaced() {
  return error_response(503, "model_replaced",
                        "a checkpoint was promoted while this was worked on, and its answer would be of two "
                        "models: ask again");
}

void ServingApi::freeze(bool frozen, const HttpRequest& request, Respond respond) {
  if (auto refusal = refuse_body(request, "POST /v1/freeze ends learning, POST /v1/unfreeze goes on with it"))
    return respond(std::move(*refusal));
  parts_.queue.post([this, frozen, respond = std::move(respond)](StreamProcessor& processor) mutable {
    const bool was_frozen = processor.freeze().is_frozen();
    const bool is_kept = parts_.checkpointer.status().enabled;
    const std::uint64_t examples = processor.learner().counts().examples;
    if (was_frozen != frozen) {
      processor.freeze().set_frozen(frozen);
      processor.note_change();
      Result<CheckpointStatus> saved = CheckpointStatus();
      if (is_kept) saved = save_now(processor);
      if (!saved) {
        processor.freeze().set_frozen(was_frozen);
        return respond_later(
            parts_.io, std::move(respond),
            error_response(503, "not_durable",
                           fmt::format("nothing was changed, and {}, as no checkpoint could be written: {}",
                                       was_frozen ? "the model stays frozen" : "learning goes on",
                                       saved.error().message)));
      }
      tell_of_freeze(processor);
      parts_.trainer.publish();
      if (is_kept)
        return respond_later(parts_.io, std::move(respond),
                             json_response(frozen_json(frozen, examples, &*saved)));
    }
    if (!is_kept)
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

void ServingApi::list(const HttpRequest& request, Respond respond) {
  if (auto refusal = refuse_body(request, "it lists the checkpoints")) return respond(std::move(*refusal));
  if (parts_.checkpoints == nullptr) return respond(no_checkpoints());
  parts_.jobs.post([this, shared = std::make_shared<Respond>(std::move(respond))] {
    const auto listed = parts_.checkpoints->folder().list();
    respond_later(parts_.io, std::move(*shared),
                  listed ? json_response(checkpoints_json(*listed)) : error_response(listed.error()));
  });
}

void ServingApi::promote(const HttpRequest& request, Respond respond) {
  if (auto refusal = refuse_body(request, "?checkpoint=NAME says which model is to be promoted"))
    return respond(std::move(*refusal));
  if (parts_.checkpoints == nullptr) return respond(no_checkpoints());
  if (!has_key(request.query, "checkpoint"))
    return respond(error_response(400, "invalid_request",
                                  "/v1/promote needs checkpoint=NAME: which model is to be promoted; GET "
                                  "/v1/checkpoints lists them"));
  parts_.jobs.post([this, text = query_value(request.query, "checkpoint"),
                    shared = std::make_shared<Respond>(std::move(respond))] { promote_now(text, shared); });
}

// What is replaced may have diverged so far that it cannot be kept; then it is replaced all the same.
std::string ServingApi::keep_present() {
  auto promise = std::make_shared<std::promise<std::string>>();
  std::future<std::string> kept = promise->get_future();
  parts_.checkpointer.request_if_changed(
      [promise = std::move(promise)](const Result<CheckpointStatus>& saved) {
        promise->set_value(saved ? saved->name : std::string());
      });
  try {
    return kept.get();
  } catch (const std::future_error&) {  // the trainer has ended
    return {};
  }
}

// On a thread of LargeJobs, where the learner that was replaced goes as well.
void ServingApi::promote_now(const std::string& text, const std::shared_ptr<Respond>& respond) {
  auto model = parts_.checkpoints->restore_for_good(text);
  if (!model) return respond_later(parts_.io, std::move(*respond), checkpoint_refusal(text, model.error()));
  const std::string replaced = keep_present();
  Status taken;
  Result<CheckpointStatus> saved = CheckpointStatus();
  Promotion promotion;
  bool frozen = false;
  const bool there = take_trainer_turn([&](BlockQueue::Task task) { parts_.queue.post(std::move(task)); },
                                       [&](StreamProcessor& processor) {
                                         taken = take(processor, *model, saved);
                                         promotion = processor.promotion();
                                         frozen = processor.freeze().is_frozen();
                                       });
  if (!there) return;  // which shows by itself
  if (!taken) return respond_later(parts_.io, std::move(*respond), checkpoint_refusal(text, taken.error()));
  respond_later(parts_.io, std::move(*respond),
                saved ? json_response(promoted_json(promotion, replaced, frozen, *saved))
                      : error_response(503, "not_promoted",
                                       fmt::format("nothing was promoted, as no checkpoint of it could be "
                                                   "written, and learning goes on as before: {}",
                                                   saved.error().message)));
}

// On the trainer's thread, which waits until it is durable.
Result<CheckpointStatus> ServingApi::save_now(StreamProcessor& processor) {
  try {
    return parts_.checkpointer.save_between(processor);
  } catch (const std::bad_alloc&) {
    return failure(ErrorCode::kUnavailable, "out of memory");  // short enough to take none
  }
}

// On the trainer's thread. Learning waits until the promotion is durable: what came meanwhile could not be
// learned by both models.
Status ServingApi::take(StreamProcessor& processor, RestoredModel& model, Result<CheckpointStatus>& saved) {
  if (parts_.solver != nullptr) parts_.solver->halt();
  {
    const AtEnd follow([&] {  // also where there is no memory on the way: the solver must not keep the other
      if (parts_.solver != nullptr)
        parts_.solver->replace(processor.learner(), *processor.learner().solving());
    });
    GLIMPSE_TRY(processor.promote(*model.processor, model.name));
    saved = save_now(processor);
    if (!saved) processor.undo_promotion(*model.processor);
  }
  if (!saved) return {};
  if (parts_.promoted) parts_.promoted(processor);
  const Promotion& promotion = processor.promotion();
  spdlog::warn(
      "promoted {}: its model of {} examples takes the place of one of {}; what came since is not learned "
      "again (POST /v1/promote)",
      promotion.checkpoint, promotion.examples, promotion.replaced_examples);
  parts_.trainer.publish();
  return {};
}

}  // namespace glimpse
