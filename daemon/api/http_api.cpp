#include "daemon/api/http_api.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include "daemon/api/http_bodies.h"
#include "daemon/api/metrics.h"
#include "daemon/api/model_query.h"
#include "daemon/bodies/model_bodies.h"
#include "daemon/bodies/packed_body.h"
#include "daemon/http/respond_later.h"
#include "daemon/support/memory_trouble.h"
#include "daemon/training/learner_watch.h"
#include "daemon/training/trainer_turn.h"
#include "daemon/version.h"
#include "data/text/text.h"
#include "learn/core/model_products.h"
#include "learn/core/solving.h"

namespace glimpse {

namespace {

constexpr const char* kPlanPath = "/v1/plans/";  // and a plan's id

// Ages are told by the clock that nobody sets.
double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

HttpResponse text_response(std::string body, const char* type = "application/json", unsigned status = 200) {
  HttpResponse response;
  response.status = status;
  response.content_type = type;
  response.body = std::move(body);
  return response;
}

HttpResponse not_allowed(const std::string& allowed, const HttpRequest& request) {
  HttpResponse response = error_response(405, "method_not_allowed",
                                         request.path + " takes " + allowed + ", not " + request.method);
  response.allow = allowed;
  return response;
}

HttpResponse stopping_response() { return error_response(503, "stopping", "glimpsed is about to end"); }

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
    response = text_response(model_json(snapshot));
  }
  response.headers = {{"Glimpse-Examples", fmt::format("{}", snapshot.examples)},
                      {"Glimpse-Age-Seconds", fmt::format("{}", snapshot.age_seconds)}};
  return response;
}

}  // namespace

HttpApi::HttpApi(Parts parts)
    : parts_(std::move(parts)),
      learn_({parts_.io, parts_.jobs, parts_.queue, parts_.checkpointer, parts_.make_feed}),
      partial_({parts_.io, parts_.renderer, parts_.jobs, parts_.queue, parts_.door,
                [this](std::shared_ptr<Respond> respond, BlockQueue::Task task) {
                  with_model(&BlockQueue::post, false, std::move(respond), std::move(task));
                }}),
      predict_({parts_.io, parts_.jobs, parts_.queue, parts_.trainer, parts_.make_feed, partial_,
                [this](bool is_short, const std::shared_ptr<Respond>& respond, BlockQueue::Task task) {
                  with_model(is_short ? &BlockQueue::post_short : &BlockQueue::post, false, respond,
                             std::move(task));
                }}),
      plans_({parts_.io, parts_.jobs, parts_.queue, parts_.trainer, parts_.checkpointer, parts_.door,
              parts_.plan_ttl, [this](AskRequest request, Respond respond) {
                partial_.choose(std::move(request), std::move(respond));
              }}) {}

void HttpApi::handle(HttpRequest request, Respond respond) {
  // Rows of f32 may begin with any bytes.
  if (request.method == "POST" && is_packed(request.body) && query_value(request.query, "format") != "f32")
    return unpack(std::move(request), std::move(respond));
  route(std::move(request), std::move(respond));
}

// Once: what is packed within is no example.
void HttpApi::unpack(HttpRequest request, Respond respond) {
  if (request.hold && !request.hold(unpacked_at_most(request.body, request.most_body)))
    return respond(error_response(503, "unavailable",
                                  "the bodies that are on their way leave no room to unpack this one "
                                  "(--max-unfinished)"));
  parts_.jobs.post(
      [this, request = std::move(request), shared = std::make_shared<Respond>(std::move(respond))]() mutable {
        auto body = unpacked(request.body, request.most_body);
        if (!body) return respond_later(parts_.io, std::move(*shared), error_response(body.error()));
        request.body = std::move(*body);
        boost::asio::post(parts_.io, [this, request = std::move(request), shared]() mutable {
          if (request.hold) request.hold(request.body.size());
          route(std::move(request), std::move(*shared));
        });
      });
}

void HttpApi::route(HttpRequest request, Respond respond) {
  const std::string format = query_value(request.query, "format");
  const bool is_json = format.empty() || format == "json" || format == "ndjson";
  if (is_json) request.body.erase(0, request.body.size() - without_mark(request.body).size());
  struct Route {
    const char* path;
    const char* method;
    bool needs_trainer;
    void (*run)(HttpApi&, HttpRequest, Respond);
  };
  static constexpr Route kRoutes[] = {
      {"/healthz", "GET", false,
       [](HttpApi&, HttpRequest, Respond r) { r(text_response("ok\n", "text/plain")); }},
      {"/readyz", "GET", false, [](HttpApi& api, HttpRequest q, Respond r) { r(api.readiness(q)); }},
      {"/metrics", "GET", false, [](HttpApi& api, HttpRequest, Respond r) { r(api.metrics()); }},
      {"/v1/status", "GET", false, [](HttpApi& api, HttpRequest, Respond r) { r(api.status()); }},
      {"/v1/model", "GET", true, [](HttpApi& api, HttpRequest q, Respond r) { api.model(q, std::move(r)); }},
      {"/v1/moments", "GET", true,
       [](HttpApi& api, HttpRequest q, Respond r) { api.moments(q, std::move(r)); }},
      {"/v1/predict", "POST", true,
       [](HttpApi& api, HttpRequest q, Respond r) { api.predict_.predict(std::move(q), std::move(r)); }},
      {"/v1/learn", "POST", true,
       [](HttpApi& api, HttpRequest q, Respond r) { api.learn_.learn(std::move(q), std::move(r)); }},
      {"/v1/ask", "POST", true,
       [](HttpApi& api, HttpRequest q, Respond r) { api.plans_.ask(std::move(q), std::move(r)); }},
      {"/v1/tell", "POST", true,
       [](HttpApi& api, HttpRequest q, Respond r) { api.plans_.tell(std::move(q), std::move(r)); }},
      {"/v1/plans", "GET", true,
       [](HttpApi& api, HttpRequest q, Respond r) { api.plans_.list(q, std::move(r)); }},
      {kPlanPath, "DELETE", true,
       [](HttpApi& api, HttpRequest q, Respond r) {
         api.plans_.abandon(q.path.substr(std::string_view(kPlanPath).size()), std::move(r));
       }},
      {"/v1/checkpoint", "POST", true,
       [](HttpApi& api, HttpRequest, Respond r) { api.checkpoint(std::move(r)); }},
  };
  for (const Route& route : kRoutes) {
    const bool is_plan = route.path == kPlanPath && request.path.starts_with(kPlanPath);
    if (request.path != route.path && !is_plan) continue;
    respond = timed(is_plan ? "/v1/plans/ID" : route.path, std::move(respond));
    if (request.method != route.method) return respond(not_allowed(route.method, request));
    if (route.needs_trainer && stopping_) return respond(stopping_response());
    return route.run(*this, std::move(request), std::move(respond));
  }
  respond = timed("other", std::move(respond));
  if (request.path == "*") return respond(not_allowed("GET, HEAD, POST, DELETE", request));
  respond(error_response(404, "not_found",
                         "no such path; see /v1/status, /v1/model, /v1/moments, /v1/predict, /v1/learn, "
                         "/v1/ask, /v1/tell, /v1/plans, /v1/checkpoint, /metrics, /healthz, /readyz"));
}

// `path` stands in the table of routes, for good.
Respond HttpApi::timed(std::string_view path, Respond respond) {
  return [this, path, begun = std::chrono::steady_clock::now(),
          respond = std::move(respond)](HttpResponse response) {
    times_.note(path, response.status, std::chrono::steady_clock::now() - begun);
    respond(std::move(response));
  };
}

// Whatever is not known to be harmless needs the most, so that a path that is added later does.
Access HttpApi::needed_access(std::string_view method, std::string_view path) {
  if (method == "GET" && (path == "/healthz" || path == "/readyz")) return Access::kNone;
  return method == "GET" || path == "/v1/predict" ? Access::kRead : Access::kWrite;
}

HttpResponse HttpApi::readiness(const HttpRequest& request) const {
  const std::string use = query_value(request.query, "for");
  if (!use.empty() && use != "learning" && use != "predictions")
    return error_response(400, "invalid_request", "for must be learning or predictions");
  if (auto why = why_not_ready(use == "learning")) return std::move(*why);
  return text_response("ready\n", "text/plain");
}

// Predictions are served also while the state cannot be saved; who sends what is to be learned asks for that.
std::optional<HttpResponse> HttpApi::why_not_ready(bool learning) const {
  if (!not_ready_.empty()) return error_response(503, "not_ready", not_ready_);
  const CheckpointStatus checkpoint = parts_.checkpointer.status();
  if (learning && !checkpoint.last_error.empty())
    return error_response(503, "checkpoint_failed", checkpoint.last_error);
  if (const std::string why = divergence(parts_.trainer.statistics()); !why.empty())
    return error_response(503, "diverged", why);
  return std::nullopt;
}

HttpResponse HttpApi::metrics() const {
  const ProcessFacts facts{parts_.queue.bytes(),  parts_.connections.open(), parts_.connections.refused,
                           memory_troubles(),     steady_seconds(),          kVersion,
                           !why_not_ready(false), !why_not_ready(true),      times_,
                           process_usage()};
  return text_response(render_metrics(parts_.trainer.statistics(), parts_.checkpointer.status(), facts),
                       "text/plain; version=0.0.4; charset=utf-8");
}

HttpResponse HttpApi::status() const {
  const double uptime = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  const ServerFacts facts{parts_.queue.bytes(), uptime, steady_seconds(), kVersion};
  return text_response(status_json(parts_.trainer.statistics(), parts_.checkpointer.status(), facts));
}

// There is one Respond, which is moved back to the I/O thread: it holds a session, whose end is for that
// thread.
void HttpApi::with_model(Way way, bool fresh, std::shared_ptr<Respond> respond, BlockQueue::Task task) {
  (parts_.queue.*way)([this, fresh, respond = std::move(respond),
                       task = std::move(task)](StreamProcessor& processor) mutable {
    if (parts_.solver == nullptr || parts_.solver->has_model(fresh)) return task(processor);
    parts_.solver->await_model(fresh, then(std::move(respond), std::move(task)));
  });
}

ModelSolver::Done HttpApi::then(std::shared_ptr<Respond> respond, BlockQueue::Task task) {
  return [this, respond = std::move(respond), task = std::move(task)](bool there) mutable {
    if (there) {
      parts_.queue.post(std::move(task));
    } else {
      respond_later(parts_.io, std::move(*respond), stopping_response());
    }
  };
}

void HttpApi::with_wish(const SolutionWish& wish, std::shared_ptr<Respond> respond, BlockQueue::Task task) {
  parts_.queue.post(
      [this, wish, respond = std::move(respond), task = std::move(task)](StreamProcessor& processor) mutable {
        if (parts_.solver != nullptr)
          return parts_.solver->await_wish(wish, then(std::move(respond), std::move(task)));
        if (Solving* const solving = processor.learner().solving()) solving->wish(wish);
        task(processor);
      });
}

void HttpApi::model(const HttpRequest& request, Respond respond) {
  ModelQuery query;
  if (auto refusal = read_model_query(request, query)) return respond(std::move(*refusal));
  if (query.small_model) return small_model(query, std::move(respond));
  parts_.jobs.post([this, query, shared = std::make_shared<Respond>(std::move(respond))] {
    ModelSnapshot snapshot;
    const bool there = take_trainer_turn(
        [&](BlockQueue::Task task) {
          if (query.wish.is_any()) return with_wish(query.wish, shared, std::move(task));
          with_model(&BlockQueue::post, query.is_fresh, shared, std::move(task));
        },
        [&](StreamProcessor& processor) {
          const Learner& learner = processor.learner();
          snapshot.model = learner.shared_model();
          snapshot.dimension = learner.options().dimension;
          if (!snapshot.model->centres.empty())
            snapshot.model = std::make_shared<Model>(with_plain_products(*snapshot.model));
          snapshot.features = features_of_model(learner, *snapshot.model, processor.names().categories());
          snapshot.importances = learner.importances();
          snapshot.has_errors = query.wish.weight_errors;
          if (snapshot.has_errors) snapshot.weight_errors = learner.weight_errors();
          const ModelFacts facts = parts_.trainer.model_facts().value_or(ModelFacts());
          snapshot.algorithm = learner.options().algorithm;
          snapshot.examples = facts.examples;
          snapshot.attributes_revealed = facts.attributes_revealed;
          snapshot.age_seconds = model_age_seconds(facts, learner.counts().examples, steady_seconds());
          parts_.trainer.note_snapshot();
        });
    if (!there || !weigh(snapshot) || !copy_names(snapshot.names)) return;
    respond_later(parts_.io, std::move(*shared), model_response(snapshot, query.format));
  });
}

// Learners that keep no pairs say how much attributes vary, some at a time, on a thread of LargeJobs. False:
// there is no trainer any more.
bool HttpApi::weigh(ModelSnapshot& snapshot) {
  if (keeps_pairs(snapshot.algorithm)) {
    if (snapshot.importances) snapshot.importances_from = "moments";
    return true;
  }
  constexpr std::size_t kRows = 8192;
  auto importances = std::make_shared<Importances>();
  const std::size_t d = snapshot.model->weights.size();
  importances->shares.reserve(d);
  importances->errors.assign(d, std::nan(""));
  while (importances->shares.size() < d) {
    const auto copy = [&](StreamProcessor& processor) {
      const Learner& learner = processor.learner();
      const double variance = learner.label_spread().variance();
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
    return respond(error_response(400, "invalid_format", "format '" + format + "' must be json or csv"));
  parts_.jobs.post([this, format, shared = std::make_shared<Respond>(std::move(respond))] {
    constexpr std::size_t kRows = 8192;  // between two looks at what else is to be done
    MomentsSnapshot snapshot;
    if (!copy_names(snapshot.names)) return;
    HttpResponse answer;
    std::size_t dimension = 0;
    do {
      snapshot.rows.clear();
      const auto copy = [&](StreamProcessor& processor) {
        const Learner& learner = processor.learner();
        dimension = learner.options().dimension;
        const std::size_t end = std::min(dimension, snapshot.first + kRows);
        for (std::size_t i = snapshot.first; i < end; ++i)
          snapshot.rows.push_back(learner.sampling_row(static_cast<Attribute>(i)));
      };
      if (!take_another_turn(parts_.queue, copy)) return;
      if (snapshot.first == 0)
        answer = format == "json" ? text_response(moments_json_head(dimension))
                                  : text_response(moments_csv_head(), "text/csv");
      answer.more.push_back(format == "json" ? moments_json_rows(snapshot) : moments_csv_rows(snapshot));
      snapshot.first += snapshot.rows.size();
    } while (snapshot.first < dimension);
    if (format == "json") answer.more.emplace_back("]}\n");
    respond_later(parts_.io, std::move(*shared), std::move(answer));
  });
}

void HttpApi::checkpoint(Respond respond) {
  parts_.checkpointer.request([this, respond = std::move(respond)](Result<CheckpointStatus> result) mutable {
    respond_later(parts_.io, std::move(respond),
                  result ? text_response(checkpoint_json(*result)) : error_response(result.error()));
  });
}

}  // namespace glimpse
