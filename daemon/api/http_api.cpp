#include "daemon/api/http_api.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include "daemon/api/checkpoint_models.h"
#include "daemon/api/http_bodies.h"
#include "daemon/api/query.h"
#include "daemon/bodies/body_text.h"
#include "daemon/bodies/fleet_body.h"
#include "daemon/bodies/history_body.h"
#include "daemon/bodies/model_bodies.h"
#include "daemon/http/http_types.h"
#include "daemon/page/page.h"
#include "daemon/reports/metrics.h"
#include "daemon/statistics/learner_watch.h"
#include "daemon/support/log_sink.h"
#include "daemon/support/memory_trouble.h"
#include "daemon/training/trainer_turn.h"
#include "daemon/version.h"
#include "data/text/text.h"
#include "learn/core/model_products.h"
#include "learn/core/solving.h"
#include "report/top_list.h"

namespace glimpse {

namespace {

constexpr const char* kPlanPath = "/v1/plans/";  // and a plan's id
constexpr const char* kTable = "text/plain; charset=utf-8";

HttpResponse not_allowed(const std::string& allowed, std::string_view method, std::string_view path) {
  const bool is_upload = method == "PUT" && allowed == "POST";
  HttpResponse response =
      error_response(405, "method_not_allowed",
                     fmt::format("{} takes {}, not {}{}", path, allowed, method,
                                 is_upload ? " (curl: --data-binary @FILE in place of -T FILE)" : ""));
  response.allow = allowed;
  return response;
}

// A model is a function of the positions in a topic and of plans, and so nothing else may change it.
HttpResponse fleet_response(const std::string& path, const FleetReport& fleet) {
  return error_response(409, "fleet",
                        path + " has no place in a fleet: group '" + fleet.group + "' learns from topic '" +
                            fleet.topic + "' alone, so write examples there");
}

HttpResponse stopping_response() { return error_response(503, "stopping", "glimpsed is about to end"); }

}  // namespace

HttpApi::HttpApi(Parts parts)
    : parts_(std::move(parts)),
      learn_({parts_.io, parts_.jobs, parts_.queue, parts_.checkpointer, parts_.make_feed}),
      partial_({parts_.io, parts_.renderer, parts_.jobs, parts_.queue, parts_.door,
                [this](std::shared_ptr<Respond> respond, BlockQueue::Task task) {
                  with_model(&BlockQueue::post, false, std::move(respond), std::move(task));
                },
                parts_.labels}),
      predict_({parts_.io, parts_.jobs, parts_.queue, parts_.trainer, parts_.make_feed, partial_,
                [this](bool is_short, const std::shared_ptr<Respond>& respond, BlockQueue::Task task) {
                  with_model(is_short ? &BlockQueue::post_short : &BlockQueue::post, false, respond,
                             std::move(task));
                },
                parts_.labels, model_headers()}),
      plans_({parts_.io, parts_.jobs, parts_.queue, parts_.trainer, parts_.checkpointer, parts_.door,
              parts_.plan_ttl,
              [this](AskRequest request, Respond respond) {
                partial_.choose(std::move(request), std::move(respond));
              }}),
      fleet_plans_({parts_.io, parts_.jobs, parts_.fleet_work, parts_.fleet, parts_.plan_ttl,
                    [this](HttpRequest request, Respond respond) {
                      plans_.ask(std::move(request), std::move(respond));
                    }}),
      serving_({parts_.io, parts_.jobs, parts_.queue, parts_.trainer, parts_.solver, parts_.checkpointer,
                parts_.checkpoints, parts_.promoted}),
      merging_({parts_.io, parts_.jobs, parts_.queue, parts_.trainer, parts_.solver, parts_.checkpointer,
                parts_.rebuild, parts_.promoted}) {}

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

struct HttpApi::Route {
  const char* path;
  const char* method;
  bool needs_trainer;
  const char* parameters;  // with commas between; nullptr: any, as who probes or scrapes adds some
  void (*run)(HttpApi&, HttpRequest, Respond);
};

const HttpApi::Route* HttpApi::find_route(std::string_view path) {
  static constexpr Route kRoutes[] = {
      {"/healthz", "GET", false, nullptr,
       [](HttpApi&, HttpRequest, Respond r) { r(text_response("ok\n", "text/plain")); }},
      {"/readyz", "GET", false, "for", [](HttpApi& api, HttpRequest q, Respond r) { r(api.readiness(q)); }},
      {"/metrics", "GET", false, nullptr, [](HttpApi& api, HttpRequest, Respond r) { r(api.metrics()); }},
      {"/v1/status", "GET", false, "checkpoint",
       [](HttpApi& api, HttpRequest, Respond r) { r(api.status()); }},
      {"/v1/history", "GET", false, "since,columns,label",
       [](HttpApi& api, HttpRequest q, Respond r) { api.history(q, std::move(r)); }},
      {"/v1/model", "GET", true, "format,top,fresh,errors,attributes,cost,label,checkpoint",
       [](HttpApi& api, HttpRequest q, Respond r) { api.model(q, std::move(r)); }},
      {"/v1/moments", "GET", true, "format,top,checkpoint",
       [](HttpApi& api, HttpRequest q, Respond r) { api.moments(q, std::move(r)); }},
      {"/v1/predict", "POST", true,
       "format,absent,header,delimiter,first_line,odd,others,explain,top,predict,label,errors,checkpoint",
       [](HttpApi& api, HttpRequest q, Respond r) { api.predict_.predict(std::move(q), std::move(r)); }},
      {"/v1/learn", "POST", true, "format,absent,header,delimiter,first_line,others,source,from,durable",
       [](HttpApi& api, HttpRequest q, Respond r) { api.learn_.learn(std::move(q), std::move(r)); }},
      {"/v1/ask", "POST", true, "durable,label,partition",
       [](HttpApi& api, HttpRequest q, Respond r) {
         if (api.parts_.fleet) return api.fleet_plans_.ask(std::move(q), std::move(r));
         api.plans_.ask(std::move(q), std::move(r));
       }},
      {"/v1/tell", "POST", true, "durable",
       [](HttpApi& api, HttpRequest q, Respond r) {
         if (api.parts_.fleet) return api.fleet_plans_.tell(std::move(q), std::move(r));
         api.plans_.tell(std::move(q), std::move(r));
       }},
      {"/v1/plans", "GET", true, "limit,after,partition",
       [](HttpApi& api, HttpRequest q, Respond r) {
         if (api.parts_.fleet) return api.fleet_plans_.list(q, std::move(r));
         api.plans_.list(q, std::move(r));
       }},
      {kPlanPath, "DELETE", true, "",
       [](HttpApi& api, HttpRequest q, Respond r) {
         std::string id = q.path.substr(std::string_view(kPlanPath).size());
         if (api.parts_.fleet) return api.fleet_plans_.abandon(id, std::move(r));
         api.plans_.abandon(std::move(id), std::move(r));
       }},
      {"/v1/checkpoint", "POST", true, "",
       [](HttpApi& api, HttpRequest, Respond r) { api.checkpoint(std::move(r)); }},
      {"/v1/checkpoints", "GET", false, "",
       [](HttpApi& api, HttpRequest q, Respond r) { api.serving_.list(q, std::move(r)); }},
      {"/v1/promote", "POST", true, "checkpoint",
       [](HttpApi& api, HttpRequest q, Respond r) { api.serving_.promote(q, std::move(r)); }},
      {"/v1/merge", "POST", true, "force",
       [](HttpApi& api, HttpRequest q, Respond r) { api.merging_.merge(std::move(q), std::move(r)); }},
      {"/v1/freeze", "POST", true, "",
       [](HttpApi& api, HttpRequest q, Respond r) { api.serving_.freeze(true, q, std::move(r)); }},
      {"/v1/unfreeze", "POST", true, "",
       [](HttpApi& api, HttpRequest q, Respond r) { api.serving_.freeze(false, q, std::move(r)); }},
  };
  const std::string_view wanted = path.starts_with(kPlanPath) ? kPlanPath : path;
  const auto* const found =
      std::ranges::find_if(kRoutes, [&](const Route& route) { return route.path == wanted; });
  return found == std::end(kRoutes) ? nullptr : found;
}

std::optional<HttpResponse> HttpApi::refuse_method(std::string_view method, std::string_view path) {
  const Route* const route = find_route(path);
  const bool is_page = Page::is_path(path);
  std::optional<HttpResponse> refusal;
  if (route != nullptr && method != route->method) refusal = not_allowed(route->method, method, path);
  if (is_page && method != "GET") refusal = not_allowed("GET", method, path);
  if (path == "*") refusal = not_allowed("GET, HEAD, POST, DELETE", method, path);
  if (!refusal && route == nullptr && !is_page)
    refusal = error_response(
        404, "not_found",
        "no such path; see /v1/status, /v1/history, /v1/model, /v1/moments, /v1/predict, /v1/learn, "
        "/v1/ask, /v1/tell, /v1/plans, /v1/checkpoint, /v1/checkpoints, /v1/promote, /v1/merge, /v1/freeze, "
        "/v1/unfreeze, /metrics, /healthz, /readyz, and / for people");
  if (refusal) times_.note(timed_path(path), refusal->status, {});
  return refusal;
}

std::string_view HttpApi::timed_path(std::string_view path) {
  const Route* const route = find_route(path);
  if (route == nullptr) return Page::is_path(path) ? "/" : "other";
  return route->path == std::string_view(kPlanPath) ? "/v1/plans/ID" : route->path;
}

void HttpApi::route(HttpRequest request, Respond respond) {
  const std::string format = query_value(request.query, "format");
  const bool is_json = format.empty() || format == "json" || format == "ndjson";
  if (is_json) request.body.erase(0, request.body.size() - without_mark(request.body).size());
  if (auto refusal = refuse_method(request.method, request.path)) return respond(std::move(*refusal));
  respond = timed(timed_path(request.path), std::move(respond));
  const Route* const route = find_route(request.path);
  if (route == nullptr) return page(request, respond);
  const bool names_checkpoint = has_key(request.query, "checkpoint") && request.path != "/v1/promote";
  if ((route->needs_trainer || names_checkpoint) && stopping_) return respond(stopping_response());
  if (auto refusal = refuse_in_fleet(request)) return respond(std::move(*refusal));
  if (names_checkpoint)
    if (auto refusal = refuse_checkpoint(request)) return respond(std::move(*refusal));
  if (route->parameters != nullptr)
    if (auto refusal = refuse_parameters(request, route->parameters)) return respond(std::move(*refusal));
  if (names_checkpoint) return parts_.checkpoints->answer(std::move(request), std::move(respond));
  return route->run(*this, std::move(request), std::move(respond));
}

// What would change the model otherwise than by its topic and by plans. And what a fleet alone has.
std::optional<HttpResponse> HttpApi::refuse_in_fleet(const HttpRequest& request) const {
  const bool is_of_plans = request.path == "/v1/ask" || request.path == "/v1/tell" ||
                           request.path == "/v1/plans" || request.path.starts_with(kPlanPath);
  if (!parts_.fleet && is_of_plans && has_key(request.query, "partition"))
    return error_response(400, "unknown_parameter",
                          request.path +
                              " takes partition=N in a fleet alone, which this glimpsed is no part of "
                              "(--fleet)");
  if (!parts_.fleet || is_of_plans || needed_access(request.method, request.path) < Access::kLearn)
    return std::nullopt;
  return fleet_response(request.path, parts_.fleet().report);
}

std::optional<HttpResponse> HttpApi::refuse_checkpoint(const HttpRequest& request) const {
  if (!CheckpointModels::takes_checkpoint(request.path))
    return error_response(400, "unknown_parameter",
                          request.path +
                              " takes no checkpoint=NAME: /v1/model, /v1/moments, /v1/predict and "
                              "/v1/status do, and /v1/promote");
  if (parts_.checkpoints == nullptr) return no_checkpoints();
  return std::nullopt;
}

// `path` stands in the table of routes, for good.
Respond HttpApi::timed(std::string_view path, Respond respond) {
  return [this, path, begun = std::chrono::steady_clock::now(),
          respond = std::move(respond)](HttpResponse response) {
    times_.note(path, response.status, std::chrono::steady_clock::now() - begun);
    respond(std::move(response));
  };
}

bool HttpApi::is_open(std::string_view method, std::string_view path) {
  return method == "GET" && Page::is_path(path);
}

// Whatever is not known to be harmless needs the most, so that a path that is added later does.
Access HttpApi::needed_access(std::string_view method, std::string_view path) {
  if (method == "GET" && (path == "/healthz" || path == "/readyz")) return Access::kNone;
  if (is_open(method, path)) return Access::kNone;
  if (method == "GET" || path == "/v1/predict") return Access::kRead;
  const bool teaches = path == "/v1/learn" || path == "/v1/ask" || path == "/v1/tell" ||
                       path == "/v1/checkpoint" || path.starts_with(kPlanPath);
  return teaches ? Access::kLearn : Access::kWrite;
}

void HttpApi::page(const HttpRequest& request, const Respond& respond) const {
  auto answer = parts_.page != nullptr ? parts_.page->answer(request) : std::nullopt;
  if (answer) return respond(std::move(*answer));
  respond(error_response(404, "not_found",
                         parts_.page == nullptr
                             ? "this glimpsed has no page (--page off); /v1/status has the facts"
                             : "the page has no such file"));
}

HttpResponse HttpApi::readiness(const HttpRequest& request) const {
  const std::string use = query_value(request.query, "for");
  if (!use.empty() && use != "learning" && use != "predictions")
    return error_response(400, "invalid_request",
                          "for " + in_quotes(use) + " must be learning or predictions");
  if (auto why = why_not_ready(use == "learning")) return std::move(*why);
  const std::string failure = failure_of_inputs();
  return text_response(
      failure.empty() ? "ready\n" : fmt::format("ready, but an input has failed: {}\n", failure),
      "text/plain");
}

// Predictions are served also while the state cannot be saved; who sends what is to be learned asks for that.
std::optional<HttpResponse> HttpApi::why_not_ready(bool learning) const {
  if (!not_ready_.empty()) return error_response(503, "not_ready", not_ready_);
  const CheckpointStatus checkpoint = parts_.checkpointer.status();
  if (learning && !checkpoint.last_error.empty())
    return error_response(503, "checkpoint_failed", checkpoint.last_error);
  if (learning && checkpoint.overdue_seconds)
    return error_response(
        503, "checkpoint_overdue",
        fmt::format("a checkpoint should have been durable {:.0f} s ago", *checkpoint.overdue_seconds));
  if (const std::string why = divergence(parts_.trainer.statistics()); !why.empty())
    return error_response(503, "diverged", why);
  if (const std::string why = learning ? failure_of_inputs() : std::string(); !why.empty())
    return error_response(503, "input_failed", why);
  return std::nullopt;
}

// Of the first input that failed; empty: none did.
std::string HttpApi::failure_of_inputs() const {
  for (const Door& door : parts_.trainer.statistics().doors)
    if (!door.failure.empty()) return door.failure;
  return {};
}

// As /v1/model has them in its body.
std::function<ModelHeaders()> HttpApi::model_headers() const {
  if (!parts_.fleet_model) return {};
  return [this] {
    const FleetModelReport model = parts_.fleet_model();
    const std::chrono::duration<double> age = std::chrono::steady_clock::now() - model.made_at;
    return ModelHeaders{{"Glimpse-Positions", offsets_text(model.positions)},
                        {"Glimpse-Age-Seconds", fmt::format("{}", model.examples > 0 ? age.count() : 0)}};
  };
}

// The trainer of an instance of a fleet has no plans: its partitions do.
std::pair<Statistics, std::optional<FleetFacts>> HttpApi::present() const {
  std::pair<Statistics, std::optional<FleetFacts>> result{parts_.trainer.statistics(), {}};
  if (!parts_.fleet) return result;
  result.second = parts_.fleet();
  result.first.plans_open = result.second->report.open_plans();
  return result;
}

HttpResponse HttpApi::metrics() const {
  const ProcessFacts facts{parts_.queue.bytes(),
                           parts_.connections.open(),
                           parts_.connections.refused,
                           memory_troubles(),
                           steady_seconds(std::chrono::steady_clock::now()),
                           kVersion,
                           !why_not_ready(false),
                           !why_not_ready(true),
                           times_,
                           process_usage(),
                           parts_.limits ? parts_.limits() : ReportedLimits{},
                           dropped_log_lines()};
  const auto [statistics, fleet] = present();
  std::string text = render_metrics(statistics, parts_.checkpointer.status(), facts);
  if (fleet) text += render_fleet_metrics(*fleet);
  return text_response(std::move(text), "text/plain; version=0.0.4; charset=utf-8");
}

HttpResponse HttpApi::status() const {
  const double uptime = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  const auto [statistics, fleet] = present();
  const ServerFacts facts{parts_.queue.bytes(),
                          uptime,
                          steady_seconds(std::chrono::steady_clock::now()),
                          kVersion,
                          parts_.grid,
                          fleet ? fleet_json(*fleet) : nullptr,
                          parts_.columns};
  return json_response(status_json(statistics, parts_.checkpointer.status(), facts));
}

// A long answer is written by a thread that nobody waits for.
void HttpApi::history(const HttpRequest& request, Respond respond) {
  constexpr std::size_t kShort = 64;  // samples
  auto query = read_history_query(request.query);
  if (!query) return respond(error_response(query.error()));
  const auto label = read_label_query(request, parts_.labels);
  if (!label) return respond(error_response(label.error()));
  query->label = label->value_or(0);
  const Statistics s = parts_.trainer.statistics();
  if (!s.history) return respond(error_response(503, "unavailable", "there was no memory for the history"));
  auto write = [query = std::move(*query), history = s.history,
                now = HistoryMoment{run_, s.counts.examples, s.promotion.count}, labels = parts_.labels] {
    return json_response(with_label(history_json(*history, query, now, labels), labels, query.label));
  };
  if (s.history->samples.size() <= kShort) return respond(write());
  parts_.jobs.post([this, write = std::move(write), shared = std::make_shared<Respond>(std::move(respond))] {
    respond_later(parts_.io, std::move(*shared), write());
  });
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

void HttpApi::with_wish(const SolutionWish& wish, std::size_t label, std::shared_ptr<Respond> respond,
                        BlockQueue::Task task) {
  parts_.queue.post([this, wish, label, respond = std::move(respond),
                     task = std::move(task)](StreamProcessor& processor) mutable {
    if (parts_.solver != nullptr)
      return parts_.solver->await_wish(wish, then(std::move(respond), std::move(task)), label);
    if (Solving* const solving = processor.learner().of_label(label).solving()) solving->wish(wish);
    task(processor);
  });
}

void HttpApi::checkpoint(Respond respond) {
  parts_.checkpointer.request([this, respond = std::move(respond)](Result<CheckpointStatus> result) mutable {
    respond_later(parts_.io, std::move(respond),
                  result ? json_response(checkpoint_json(*result)) : error_response(result.error()));
  });
}

// What the learner has in it: GET /v1/model and GET /v1/moments.

namespace {

// What an attribute would be worth if it were independent of all others: w²·variance, as a share of the
// label's.
double importance_alone(double weight, const Moment& moment, double label_variance) {
  if (moment.count == 0 || !(label_variance > 0)) return std::nan("");
  return weight * weight * std::max(moment.second - moment.mean * moment.mean, 0.0) / label_variance;
}

double known_or(double value, double otherwise) { return std::isnan(value) ? otherwise : value; }

// A model in one of its formats; what it was made from stands in the headers as well, as CSV has no place
// for it.
HttpResponse model_response(const ModelSnapshot& snapshot, const ModelQuery& query) {
  HttpResponse response;
  if (query.format == "table") {
    response = text_response(model_table(snapshot, query.top), kTable);
  } else if (query.format == "safetensors") {
    auto body = model_safetensors(snapshot, kVersion);
    if (!body) return error_response(body.error());
    response = text_response(std::move(*body), "application/octet-stream");
  } else if (query.format == "csv") {
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
          snapshot.bounds.take_label(learner, processor.clip());
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
    if (!there || !weigh(snapshot, life, is_replaced) || !copy_names(snapshot.names) ||
        !copy_bounds(snapshot, query.label, life, is_replaced))
      return;
    if (is_replaced) return respond_later(parts_.io, std::move(*shared), model_was_replaced());
    if (snapshot.scores && query.wish.weight_errors)
      return respond_later(
          parts_.io, std::move(*shared),
          error_response(409, "classes",
                         "weights in the scores of classes have no standard errors: ask without errors"));
    HttpResponse response = model_response(snapshot, query);
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
bool HttpApi::copy_bounds(ModelSnapshot& snapshot, std::size_t label, std::uint64_t life, bool& is_replaced) {
  constexpr std::size_t kRows = 8192;
  for (bool is_done = false; !is_done && !is_replaced;) {
    const auto copy = [&](StreamProcessor& processor) {
      is_replaced = processor.life() != life;
      if (is_replaced) return;
      const Learner& learner = processor.learner().of_label(label);
      const bool has_bounds = ModelBounds::bounds_attributes(learner, processor.clip());
      const std::size_t begin = snapshot.bounds.means.size();
      const std::size_t end = has_bounds ? std::min(snapshot.dimension, begin + kRows) : begin;
      for (std::size_t i = begin; i < end; ++i) snapshot.bounds.add(learner, static_cast<Attribute>(i));
      is_done = !has_bounds || end == snapshot.dimension;
    };
    if (!take_another_turn(parts_.queue, copy)) return false;
  }
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
    for (const std::string& name : some)
      names.push_back(shown_name(name, static_cast<Attribute>(names.size())));
  }
  return true;
}

void HttpApi::moments(const HttpRequest& request, Respond respond) {
  std::string format = query_value(request.query, "format");
  if (format.empty()) format = "json";
  if (format != "json" && format != "csv" && format != "table")
    return respond(
        error_response(400, "invalid_format", "format " + in_quotes(format) + " must be json, csv or table"));
  std::size_t top = 20;
  if (auto refusal = read_top(request, top)) return respond(std::move(*refusal));
  parts_.jobs.post([this, format, top, shared = std::make_shared<Respond>(std::move(respond))] {
    constexpr std::size_t kRows = 8192;  // between two looks at what else is to be done
    MomentsSnapshot snapshot;
    if (!copy_names(snapshot.names)) return;
    HttpResponse answer;
    const auto headers = model_headers();
    ModelHeaders of_first;
    std::size_t dimension = 0;
    TopList<std::string> likeliest(format == "table" ? top : 0);
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
      for (std::size_t k = 0; k < snapshot.rows.size() && format == "table"; ++k)
        likeliest.offer(known_or(snapshot.rows[k].probability, -1), [&] { return moment_json(snapshot, k); });
      if (format != "table")
        answer.more.push_back(format == "json" ? moments_json_rows(snapshot) : moments_csv_rows(snapshot));
      snapshot.first += snapshot.rows.size();
    } while (snapshot.first < dimension);
    if (format == "table") answer = text_response(moments_table(dimension, likeliest.take()), kTable);
    if (format == "json") answer.more.emplace_back("]}\n");
    answer.headers = std::move(of_first);
    respond_later(parts_.io, std::move(*shared), std::move(answer));
  });
}

}  // namespace glimpse
