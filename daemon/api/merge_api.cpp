#include "daemon/api/merge_api.h"

#include <span>
#include <spdlog/spdlog.h>
#include <string>
#include <utility>

#include <boost/json.hpp>

#include "base/at_end.h"
#include "checkpoint/checkpoint.h"
#include "daemon/http/http_types.h"
#include "daemon/training/stream_processor.h"
#include "daemon/training/trainer_turn.h"
#include "data/text/text.h"

namespace glimpse {

namespace json = boost::json;

namespace {

HttpResponse merge_refusal(const Error& error) {
  const std::string what = "the checkpoint in the body is not merged: " + error.message;
  switch (error.code) {
    case ErrorCode::kCorrupt:
      return error_response(400, "invalid_checkpoint", what);
    case ErrorCode::kMismatch:
      return error_response(409, "cannot_merge", what);
    case ErrorCode::kUnavailable:
      return error_response(409, "unavailable", what);
    case ErrorCode::kTooLarge:
      return error_response(413, "checkpoint_too_large", what);
    case ErrorCode::kSystem:
      return error_response(503, "not_merged",
                            "nothing was merged, as no checkpoint of it could be written, and learning goes "
                            "on as before: " +
                                error.message);
    default:
      return error_response(error);
  }
}

// A checkpoint's own, with its checksum, so that it is known again.
Result<MergePart> part_of(const std::string& body, bool anyhow) {
  const auto bytes = std::as_bytes(std::span(body));
  GLIMPSE_TRY_ASSIGN(const auto state, decode_checkpoint(bytes));
  auto part = MergePart::restore(state);
  if (!part) return part.error();
  if (const Status status = part->inputs().add_checkpoint(checksum_of(bytes)); !status && !anyhow)
    return status.error();
  return part;
}

}  // namespace

void MergeApi::merge(HttpRequest request, Respond respond) {
  if (request.body.empty())
    return respond(error_response(400, "invalid_request",
                                  "/v1/merge takes a checkpoint's bytes as its body, as curl --data-binary "
                                  "@FILE sends them"));
  const std::string force = query_value(request.query, "force");
  if (!force.empty() && force != "true" && force != "false")
    return respond(
        error_response(400, "invalid_force", "force " + in_quotes(force) + " must be true or false"));
  if (!parts_.rebuild) return respond(error_response(409, "unavailable", "nothing is learned here"));
  parts_.jobs.post(
      [this, body = std::move(request.body), anyhow = force == "true", rebuild = parts_.rebuild(),
       shared = std::make_shared<Respond>(std::move(respond))] { merge_now(body, anyhow, rebuild, shared); });
}

// On a thread of LargeJobs, where the learner that was replaced goes as well.
void MergeApi::merge_now(const std::string& body, bool anyhow, const Rebuild& rebuild,
                         const std::shared_ptr<Respond>& respond) {
  const auto other = part_of(body, anyhow);
  if (!other) return respond_later(parts_.io, std::move(*respond), merge_refusal(other.error()));
  Result<Merged> merged = failure(ErrorCode::kUnavailable, "");
  std::unique_ptr<StreamProcessor> before;
  const bool there = take_trainer_turn(
      [&](BlockQueue::Task task) { parts_.queue.post(std::move(task)); },
      [&](StreamProcessor& processor) { merged = take(processor, *other, anyhow, rebuild, before); });
  if (!there) return;  // which shows by itself
  if (!merged) return respond_later(parts_.io, std::move(*respond), merge_refusal(merged.error()));
  const auto& name = merged->checkpoint;
  const json::object told{{"merged_examples", merged->examples},
                          {"examples", merged->all},
                          {"attributes_revealed", merged->attributes_revealed},
                          {"checkpoint", name ? json::value(*name) : json::value(nullptr)}};
  respond_later(parts_.io, std::move(*respond), json_response(json::serialize(told) + "\n"));
}

// On the trainer's thread. What fails, fails on a copy, which is also what is saved.
Result<MergeApi::Merged> MergeApi::take(StreamProcessor& processor, const MergePart& other, bool anyhow,
                                        const Rebuild& rebuild, std::unique_ptr<StreamProcessor>& before) {
  if (processor.freeze().is_frozen())
    return failure(ErrorCode::kUnavailable, "the model is frozen; POST /v1/unfreeze first");
  State state;
  state.begin();
  processor.save(state);
  state.finish();
  GLIMPSE_TRY_ASSIGN(auto part, MergePart::restore(state));
  GLIMPSE_TRY(part.merge(other, anyhow));
  part.finish();
  part.save(state);
  GLIMPSE_TRY_ASSIGN(before, rebuild(state));
  std::optional<std::string> checkpoint;
  if (parts_.checkpointer.status().enabled) {
    auto saved = parts_.checkpointer.save_between(*before);
    if (!saved) return Error{ErrorCode::kSystem, saved.error().message};
    checkpoint = std::move(saved->name);
  }
  const Categories& categories = processor.names().categories();
  const std::size_t most = categories.label_limit();
  if (parts_.solver != nullptr) parts_.solver->halt();
  {
    const AtEnd follow([&] {
      if (parts_.solver != nullptr)
        parts_.solver->replace(processor.learner(), *processor.learner().solving());
    });
    GLIMPSE_TRY(processor.take_merged(*before, state));
  }
  if (parts_.promoted) parts_.promoted(processor);
  const LearnerCounts& counts = processor.learner().counts();
  const std::uint64_t came = other.learner().counts().examples;
  spdlog::info("merged {} examples of another learner into {}: {} examples now (POST /v1/merge)", came,
               counts.examples - came, counts.examples);
  if (const std::size_t classes = categories.label_words().size(); classes > most)
    spdlog::warn(
        "--max-classes {}: there are {} classes with those that were merged, which all stay; records of "
        "further ones are refused",
        most, classes);
  parts_.trainer.publish();
  return Merged{came, counts.examples, counts.attributes_revealed, std::move(checkpoint)};
}

}  // namespace glimpse
