#include <chrono>
#include <memory>
#include <utility>

#include "daemon/api/http_api.h"
#include "daemon/api/http_bodies.h"
#include "daemon/api/query.h"
#include "daemon/bodies/model_bodies.h"
#include "daemon/http/http_types.h"
#include "daemon/statistics/learner_watch.h"
#include "daemon/training/trainer_turn.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

Status check_question(const Learner& learner, const SmallModelQuestion& question) {
  if (question.cost && !learner.options().prices)
    return failure(ErrorCode::kUnavailable,
                   "cost: what attributes cost is not known; --costs FILE says it, attributes=N needs none");
  if (learner.counts().examples == 0)
    return failure(ErrorCode::kUnavailable, "nothing was learned yet that attributes could be chosen by");
  return learner.check_small_models();
}

}  // namespace

// What is asked is checked first: nobody solves for an answer that is a refusal.
void HttpApi::small_model(const ModelQuery& query, Respond respond) {
  parts_.jobs.post([this, query, shared = std::make_shared<Respond>(std::move(respond))] {
    Status checked;
    const auto check = [&](StreamProcessor& processor) {
      checked = check_question(processor.learner().of_label(query.label), *query.small_model);
    };
    if (!take_another_turn(parts_.queue, check)) return;
    if (!checked) return respond_later(parts_.io, std::move(*shared), error_response(checked.error()));
    SmallModelSnapshot snapshot;
    const bool there = take_trainer_turn(
        [&](BlockQueue::Task task) { with_wish(query.wish, query.label, shared, std::move(task)); },
        [&](StreamProcessor& processor) {
          const Learner& learner = processor.learner().of_label(query.label);
          const auto whole = learner.shared_model();
          snapshot.small = learner.small_model(*query.small_model);
          snapshot.features = features_of_model(learner, *whole, processor.names().categories());
          snapshot.bounds.take_label(learner, processor.clip());
          if (snapshot.small && ModelBounds::bounds_attributes(learner, processor.clip()))
            for (const Attribute i : snapshot.small->chosen) snapshot.bounds.add(learner, i);
          const auto& words = processor.names().categories().label_words();
          // It is learned as the label of regressions.
          if (learner.is_classifier() && words.size() > 1) snapshot.of_class = valid_utf8(words[1]);
          snapshot.has_prices = learner.options().prices != nullptr;
          const ModelFacts facts = parts_.trainer.model_facts().value_or(ModelFacts());
          snapshot.algorithm = learner.options().algorithm;
          snapshot.examples = facts.examples;
          snapshot.attributes_revealed = facts.attributes_revealed;
          snapshot.age_seconds = model_age_seconds(facts, learner.counts().examples,
                                                   steady_seconds(std::chrono::steady_clock::now()));
          if (parts_.fleet_model) snapshot.positions = parts_.fleet_model().positions;
          parts_.trainer.note_snapshot();
        });
    if (!there) return;
    if (!snapshot.small)
      return respond_later(
          parts_.io, std::move(*shared),
          error_response(503, "unavailable",
                         "there is no small model now: the newest model is withheld (status says so), or "
                         "others asked for too many at once; ask again later"));
    if (!copy_names(snapshot.names)) return;
    HttpResponse response;
    response.content_type = "application/json";
    response.body = with_label(small_model_json(snapshot), parts_.labels, query.label);
    respond_later(parts_.io, std::move(*shared), std::move(response));
  });
}

}  // namespace glimpse
