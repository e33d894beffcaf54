#include "daemon/api/plan_api.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "daemon/api/plan_requests.h"
#include "daemon/api/query.h"
#include "daemon/http/http_types.h"
#include "daemon/training/trainer_turn.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::size_t kShort = 64;       // plans or items: a short task
constexpr std::size_t kScans = 2000000;  // the same in attributes looked through, where few are available
constexpr std::size_t kTurnBytes = 32 * 1024;  // bytes of items beyond which a turn has no more
constexpr std::size_t kNames = 8192;  // texts that are resolved between two looks at what else is to be done
constexpr std::size_t kSmallAnswer = 256;  // plans or items that the trainer writes out itself
constexpr std::size_t kLook = 16;          // items between two looks at the clock

// How a slice of a task goes to the trainer: the first of so many plans or items, or the rest of them.
auto way_of(bool rest, std::size_t size) {
  if (rest) return &BlockQueue::post_rest;
  return size <= kShort ? &BlockQueue::post_short : &BlockQueue::post;
}

}  // namespace

struct PlanApi::Asking {
  bool durable = false;
  std::optional<std::string> label;  // of the path
  AskRequest request;
  Respond respond;
  double expires_at = 0;
  AskedPlans plans;
};

struct PlanApi::Telling {
  Telling(HttpRequest asked, Respond answer) : request(std::move(asked)), respond(std::move(answer)) {}

  HttpRequest request;
  Respond respond;
  bool durable = false;
  bool is_batch = false;
  std::shared_ptr<const void> hold;  // what was begun is told to its end
  TellBatch batch;                   // the items of a turn
  std::vector<TellAnswer> answers;   // to these
  AnswerBounds bounds;
  std::size_t results = 0;
  std::size_t learned = 0;
  HttpResponse answer = json_response("{\"results\":[");
};

void PlanApi::answer(std::size_t size, Respond respond, std::function<HttpResponse()> make) {
  auto write = [this, respond = std::move(respond), make = std::move(make)]() mutable {
    respond_later(parts_.io, std::move(respond), make());
  };
  if (size <= kSmallAnswer) {
    write();
  } else {
    parts_.jobs.post(std::move(write));
  }
}

void PlanApi::answer_durably(bool durable, std::size_t size, Respond respond,
                             std::function<HttpResponse()> make) {
  if (!durable) return answer(size, std::move(respond), std::move(make));
  parts_.checkpointer.request([this, size, respond = std::move(respond),
                               make = std::move(make)](const Result<CheckpointStatus>& result) mutable {
    if (result) return answer(size, std::move(respond), std::move(make));
    answer(0, std::move(respond), [error = result.error()] { return not_durable(error); });
  });
}

void PlanApi::ask(HttpRequest request, Respond respond) {
  const auto durable = wants_durable(request, parts_.checkpointer);
  if (!durable) return respond(error_response(durable.error()));
  auto asking = std::make_shared<Asking>();
  asking->respond = std::move(respond);
  asking->durable = *durable;
  if (has_key(request.query, "label")) asking->label = query_value(request.query, "label");
  if (request.body.size() <= kSmallPlanBody) return read_ask_of(asking, request.body);
  parts_.jobs.post([this, asking, body = std::move(request.body)] { read_ask_of(asking, body); });
}

// On the I/O thread, or a thread of LargeJobs.
void PlanApi::read_ask_of(const std::shared_ptr<Asking>& asking, std::string_view body) {
  if (auto refused = read_whole_ask(body, asking->label, asking->request))
    return respond_later(parts_.io, std::move(asking->respond), std::move(*refused));
  const double ttl = std::chrono::duration<double>(parts_.default_ttl).count();
  asking->expires_at = wall_seconds() + asking->request.ttl_seconds.value_or(ttl);
  if (!asking->request.names_available) return go_on_asking(asking);
  asking->request.resolved.emplace();
  resolve_slice(asking, false);
}

void PlanApi::resolve_slice(std::shared_ptr<Asking> asking, bool rest) {
  const auto post = way_of(rest, asking->request.available.size());
  (parts_.queue.*post)([this, asking](StreamProcessor& processor) {
    AskRequest& request = asking->request;
    const auto refuse = [this, asking](const Error& error) {
      respond_later(parts_.io, std::move(asking->respond),
                    error_response(422, "unknown_attribute", error.message));
    };
    const std::size_t done = request.resolved->size();
    const std::size_t count = std::min(kNames, request.available.size() - done);
    if (const Status status = resolve_attributes(std::span(request.available).subspan(done, count),
                                                 processor.names(), *request.resolved);
        !status)
      return refuse(status.error());
    if (request.resolved->size() < request.available.size()) return resolve_slice(asking, true);
    const auto finish = [this, asking, refuse] {
      if (const Status status = sort_attributes(*asking->request.resolved); !status)
        return refuse(status.error());
      go_on_asking(asking);
    };
    if (done == 0) return finish();
    parts_.jobs.post(finish);
  });
}

// On any thread.
void PlanApi::go_on_asking(const std::shared_ptr<Asking>& asking) {
  if (asking->request.for_prediction)
    return parts_.choose(std::move(asking->request), std::move(asking->respond));
  ask_slice(asking, false);
}

void PlanApi::ask_slice(std::shared_ptr<Asking> asking, bool rest) {
  const auto post = way_of(rest, asking->request.count + asking->request.available.size());
  (parts_.queue.*post)([this, asking](StreamProcessor& processor) {
    const auto refuse = [&](HttpResponse response) {
      answer(0, std::move(asking->respond), [response = std::move(response)] { return response; });
    };
    const AskRequest& request = asking->request;
    const std::size_t most = processor.plans().limit();
    if (asking->plans.rows.empty() && request.count > most)
      return refuse(
          error_response(400, "invalid_ask", fmt::format("count must be at most {} (--max-plans)", most)));
    const std::size_t left = request.count - asking->plans.rows.size();
    const std::size_t slice =
        request.resolved ? std::clamp<std::size_t>(
                               kScans / (processor.learner().options().budget * request.resolved->size() + 1),
                               1, kPlanSlice)
                         : kPlanSlice;
    const Status status = glimpse::ask(processor, std::min(left, slice), request.resolved, wall_seconds(),
                                       asking->expires_at, asking->plans);
    // Those that were given out before it came to an end are the asker's all the same.
    if (!status && asking->plans.rows.empty()) return refuse(ask_refusal(status.error()));
    if (!status) asking->plans.stopped = status.error().message;
    if (status && asking->plans.rows.size() < request.count) return ask_slice(asking, true);
    parts_.trainer.publish();
    answer_durably(asking->durable, asking->plans.rows.size(), std::move(asking->respond),
                   [asking] { return json_response(asked_json(asking->plans)); });
  });
}

void PlanApi::tell(HttpRequest request, Respond respond) {
  const auto durable = wants_durable(request, parts_.checkpointer);
  if (!durable) return respond(error_response(durable.error()));
  auto telling = std::make_shared<Telling>(std::move(request), std::move(respond));
  telling->durable = *durable;
  telling->hold = parts_.queue.hold();
  if (telling->request.body.size() > kSmallPlanBody)
    return parts_.jobs.post([this, telling] { tell_large(*telling); });
  auto items = TellItems::open(telling->request.body);
  if (!items) return refuse(*telling, items.error());
  telling->is_batch = items->is_batch();
  items->next(telling->batch, kNoLimit, kNoLimit);
  tell_slice(telling, false);
}

void PlanApi::refuse(Telling& telling, const Error& error) {
  respond_later(parts_.io, std::move(telling.respond), error_response(400, "invalid_tell", error.message));
}

void PlanApi::tell_slice(std::shared_ptr<Telling> telling, bool rest) {
  const auto post = way_of(rest, telling->batch.items.size());
  (parts_.queue.*post)([this, telling](StreamProcessor& processor) {
    if (!tell_some(*telling, processor)) return tell_slice(telling, true);
    parts_.trainer.publish();
    const bool durable = telling->durable;
    const std::size_t size = telling->answers.size();
    telling->hold.reset();
    answer_durably(durable, size, std::move(telling->respond), [telling] {
      write_results(*telling);
      return finished(*telling);
    });
  });
}

// On a thread of its own: items are read, told and answered some at a time.
void PlanApi::tell_large(Telling& telling) {
  auto items = TellItems::open(telling.request.body);
  if (!items) return refuse(telling, items.error());
  telling.is_batch = items->is_batch();
  while (items->next(telling.batch, kPlanSlice, kTurnBytes)) {
    telling.answers.clear();
    const auto turn = [&](StreamProcessor& processor) { tell_some(telling, processor); };
    while (telling.answers.size() < telling.batch.items.size())
      if (!take_another_turn(parts_.queue, turn)) return;
    write_results(telling);
  }
  if (!take_another_turn(parts_.queue, [this](StreamProcessor&) { parts_.trainer.publish(); })) return;
  telling.hold.reset();
  auto answer = std::make_shared<HttpResponse>(finished(telling));
  answer_durably(telling.durable, 0, std::move(telling.respond), [answer] { return std::move(*answer); });
}

// On the trainer's thread. True once all items of the batch are told.
bool PlanApi::tell_some(Telling& telling, StreamProcessor& processor) {
  const TellBatch& batch = telling.batch;
  const double now = wall_seconds();
  const auto end = std::chrono::steady_clock::now() + kTrainerTurn;
  for (std::size_t k = 0; k < kPlanSlice && telling.answers.size() < batch.items.size(); ++k) {
    if (k % kLook == kLook - 1 && std::chrono::steady_clock::now() > end) break;
    TellAnswer& one = telling.answers.emplace_back(
        glimpse::tell(processor, *parts_.door, batch, batch.items[telling.answers.size()], now));
    telling.bounds.shorten(one);
  }
  return telling.answers.size() == batch.items.size();
}

void PlanApi::write_results(Telling& telling) {
  if (!telling.is_batch) return;
  telling.answer.more.push_back(told_results_json(telling.answers, telling.results == 0, telling.learned));
  telling.results += telling.answers.size();
}

HttpResponse PlanApi::finished(Telling& telling) {
  if (!telling.is_batch) {
    const TellAnswer& one = telling.answers.front();
    return json_response(told_json(one), http_status(one.status));
  }
  telling.answer.more.push_back(fmt::format("],\"learned\":{}}}\n", telling.learned));
  return std::move(telling.answer);
}

void PlanApi::list(const HttpRequest& request, Respond respond) {
  const auto most = read_plan_limit(request.query);
  if (!most) return respond(error_response(400, "invalid_limit", most.error().message));
  PlanId after = 0;
  if (const std::string text = query_value(request.query, "after"); !text.empty()) {
    const auto id = parse_plan_id(text);
    if (!id)
      return respond(error_response(400, "invalid_id", "after " + in_quotes(text) + " is no plan's id"));
    after = *id;
  }
  parts_.queue.post(
      [this, most = *most, after, respond = std::move(respond)](StreamProcessor& processor) mutable {
        processor.expire_plans(wall_seconds());
        auto page = std::make_shared<OpenPlansPage>();
        parts_.trainer.publish();  // what has expired just now
        const PlanBook& book = processor.plans();
        const auto plans = book.list(after, most + 1);
        page->more = plans.size() > most;
        for (std::size_t k = 0; k < std::min(plans.size(), most); ++k)
          page->rows.push_back(row_of(*plans[k], processor));
        page->open = book.open();
        page->counts = book.counts();
        answer(page->rows.size(), std::move(respond), [page] { return json_response(plans_json(*page)); });
      });
}

void PlanApi::abandon(std::string id, Respond respond) {
  parts_.queue.post(
      [this, id = std::move(id), respond = std::move(respond)](StreamProcessor& processor) mutable {
        const Status status = glimpse::abandon(processor, id, wall_seconds());
        parts_.trainer.publish();
        HttpResponse response;
        if (status) {
          response = json_response(fmt::format("{{\"id\":\"{}\",\"status\":\"abandoned\"}}\n", id));
        } else if (status.error().code == ErrorCode::kNotFound) {
          response = error_response(404, "unknown", status.error().message);
        } else {
          response = error_response(409, "closed", status.error().message);
        }
        answer(0, std::move(respond), [response = std::move(response)] { return response; });
      });
}

}  // namespace glimpse
