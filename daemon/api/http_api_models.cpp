// What the learner has in it: GET /v1/model and GET /v1/moments.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "daemon/api/http_api.h"
#include "daemon/api/http_bodies.h"
#include "daemon/api/label_query.h"
#include "daemon/api/model_query.h"
#include "daemon/bodies/model_bodies.h"
#include "daemon/http/respond_later.h"
#include "daemon/training/trainer_turn.h"
#include "daemon/version.h"
#include "data/text/text.h"
#include "learn/core/model_products.h"
#include "learn/core/solving.h"

namespace glimpse {

namespace {

// What an attribute would be worth if it were independent of all others: w²·variance, as a share of the
// label's.
double importance_alone(double weight, const Moment& moment, double label_variance) {
  if (moment.count == 0 || !(label_variance > 0)) return std::nan("");
  return weight * weight * std::max(moment.second - moment.mean * moment.mean, 0.0) / label_variance;
}

// A model in one of its formats; what it was made from stands in the headers as well, as CSV has no place
// for it.
HttpResponse model_response(const ModelSnapshot& snapshot, const std::string& format) {
  HttpResponse response;
  if (format == "safetensors") {
    auto body = model_safetensors(snapshot, kVersion);
    if (!body) return error_response(body.error());
    response = text_response(std::move(*body), "application/octet-stream");
  } else if (format == "csv") {
    response = text_response(model_csv(snapshot), "text/csv");
  } else {
    response = json_response(model_json(snapshot));
  }
  response.headers = {{"Glimpse-Examples", fmt::format("{}", snapshot.examples)},
                      {"Glimpse-Age-Seconds", fmt::format("{}", snapshot.age_seconds)}};
  if (!snapshot.positions.empty())
    response.headers.emplace_back("Glimpse-Positions", offsets_text(snapshot.positions));
  if (!snapshot.label.empty()) response.headers.emplace_back("Glimpse-Label", label_text(snapshot.label));
  return response;
}

// Of the classes that the model knows.
void note_classes(const StreamProcessor& processor, ModelSnapshot& snapshot) {
  const auto& names = processor.names().categories().label_words();
  snapshot.scores = processor.learner().class_model();
  snapshot.slope = processor.hold_out().slope();
  const std::size_t known = snapshot.scores ? snapshot.scores->classes() : names.size();
  for (std::size_t c = 0; c < known; ++c) snapshot.classes.push_back(valid_utf8(names[c]));
}

}  // namespace

void HttpApi::model(const HttpRequest& request, Respond respond) {
  ModelQuery query;
  if (auto refusal = read_model_query(request, parts_.labels, query)) return respond(std::move(*refusal));
  if (query.small_model) return small_model(query, std::move(respond));
  parts_.jobs.post([this, query, shared = std::make_shared<Respond>(std::move(respond))] {
    ModelSnapshot snapshot;
    if (parts_.labels.size() > 1) snapshot.label = valid_utf8(parts_.labels[query.label]);
    std::uint64_t life = 0;
    const bool there = take_trainer_turn(
        [&](BlockQueue::Task task) {
          if (query.wish.is_any()) return with_wish(query.wish, query.label, shared, std::move(task));
          with_model(&BlockQueue::post, query.is_fresh, shared, std::move(task));
        },
        [&](StreamProcessor& processor) {
          const Learner& learner = processor.learner().of_label(query.label);
          snapshot.model = learner.shared_model();
          snapshot.dimension = learner.options().dimension;
          if (!snapshot.model->centres.empty())
            snapshot.model = std::make_shared<Model>(with_plain_products(*snapshot.model));
          snapshot.features = features_of_model(learner, *snapshot.model, processor.names().categories());
          if (learner.is_classifier()) note_classes(processor, snapshot);
          snapshot.importances = learner.importances();
          snapshot.has_errors = query.wish.weight_errors;
          if (snapshot.has_errors) snapshot.weight_errors = learner.weight_errors();
          const ModelFacts facts = parts_.trainer.model_facts().value_or(ModelFacts());
          snapshot.algorithm = learner.options().algorithm;
          snapshot.examples = facts.examples;
          snapshot.attributes_revealed = facts.attributes_revealed;
          const double now = steady_seconds(std::chrono::steady_clock::now());
          snapshot.age_seconds = parts_.written_at ? now - steady_seconds(*parts_.written_at)
                                                   : model_age_seconds(facts, learner.counts().examples, now);
          if (parts_.fleet_model) snapshot.positions = parts_.fleet_model().positions;
          life = processor.life();
          parts_.trainer.note_snapshot();
        });
    bool is_replaced = false;
    if (!there || !weigh(snapshot, life, is_replaced) || !copy_names(snapshot.names)) return;
    if (is_replaced) return respond_later(parts_.io, std::move(*shared), model_was_replaced());
    if (snapshot.scores && query.wish.weight_errors)
      return respond_later(
          parts_.io, std::move(*shared),
          error_response(409, "classes",
                         "weights in the scores of classes have no standard errors: ask without errors"));
    HttpResponse response = model_response(snapshot, query.format);
    if (query.format == "json")
      response.body = with_label(std::move(response.body), parts_.labels, query.label);
    respond_later(parts_.io, std::move(*shared), std::move(response));
  });
}

// Learners that keep no pairs say how much attributes vary, some at a time, on a thread of LargeJobs. False:
// there is no trainer any more.
bool HttpApi::weigh(ModelSnapshot& snapshot, std::uint64_t life, bool& is_replaced) {
  if (keeps_pairs(snapshot.algorithm)) {
    if (snapshot.importances) snapshot.importances_from = "moments";
    return true;
  }
  constexpr std::size_t kRows = 8192;
  auto importances = std::make_shared<Importances>();
  const std::size_t d = snapshot.model->weights.size();
  importances->shares.reserve(d);
  importances->errors.assign(d, std::nan(""));
  while (importances->shares.size() < d && !is_replaced) {
    const auto copy = [&](StreamProcessor& processor) {
      is_replaced = processor.life() != life;
      if (is_replaced) return;
      const Learner& learner = processor.learner();
      const double variance = learner.label_variance();
      const std::size_t end = std::min(d, importances->shares.size() + kRows);
      for (std::size_t i = importances->shares.size(); i < end; ++i)
        importances->shares.push_back(
            importance_alone(snapshot.model->weights[i], learner.feature_moment(i), variance));
    };
    if (!take_another_turn(parts_.queue, copy)) return false;
  }
  snapshot.importances = std::move(importances);
  snapshot.importances_from = "weights";
  return true;
}

// Some at a time, on a thread of LargeJobs. False: there is no trainer any more.
bool HttpApi::copy_names(std::vector<std::string>& names) {
  constexpr std::size_t kNames = 16384;
  for (bool is_done = false; !is_done;) {
    std::vector<std::string> some;
    const auto copy = [&](StreamProcessor& processor) {
      const AttributeNames& all = processor.names();
      const std::size_t end = std::min(all.size(), names.size() + kNames);
      for (std::size_t i = names.size(); i < end; ++i) some.emplace_back(all.name(static_cast<Attribute>(i)));
      is_done = end >= all.size();
    };
    if (!take_another_turn(parts_.queue, copy)) return false;
    for (const std::string& name : some) names.push_back(valid_utf8(name));
  }
  return true;
}

void HttpApi::moments(const HttpRequest& request, Respond respond) {
  std::string format = query_value(request.query, "format");
  if (format.empty()) format = "json";
  if (format != "json" && format != "csv")
    return respond(
        error_response(400, "invalid_format", "format " + quoted(format) + " must be json or csv"));
  parts_.jobs.post([this, format, shared = std::make_shared<Respond>(std::move(respond))] {
    constexpr std::size_t kRows = 8192;  // between two looks at what else is to be done
    MomentsSnapshot snapshot;
    if (!copy_names(snapshot.names)) return;
    HttpResponse answer;
    const auto headers = model_headers();
    ModelHeaders of_first;
    std::size_t dimension = 0;
    do {
      snapshot.rows.clear();
      const auto copy = [&](StreamProcessor& processor) {
        const Learner& learner = processor.learner();
        dimension = learner.options().dimension;
        if (headers && snapshot.first == 0) of_first = headers();
        const std::size_t end = std::min(dimension, snapshot.first + kRows);
        for (std::size_t i = snapshot.first; i < end; ++i)
          snapshot.rows.push_back(learner.sampling_row(static_cast<Attribute>(i)));
      };
      if (!take_another_turn(parts_.queue, copy)) return;
      if (snapshot.first == 0)
        answer = format == "json" ? json_response(moments_json_head(dimension))
                                  : text_response(moments_csv_head(), "text/csv");
      answer.more.push_back(format == "json" ? moments_json_rows(snapshot) : moments_csv_rows(snapshot));
      snapshot.first += snapshot.rows.size();
    } while (snapshot.first < dimension);
    if (format == "json") answer.more.emplace_back("]}\n");
    answer.headers = std::move(of_first);
    respond_later(parts_.io, std::move(*shared), std::move(answer));
  });
}

}  // namespace glimpse
