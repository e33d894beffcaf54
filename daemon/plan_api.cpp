#include "daemon/plan_api.h"

#include <algorithm>
#include <utility>

#include "daemon/http_durable.h"
#include "daemon/render_task.h"
#include "daemon/respond_later.h"
#include "data/number.h"

namespace glimpse {

namespace {

constexpr std::size_t kPlanSlice = 512;     // plans or items between two looks at what else is to be done
constexpr std::size_t kShort = 64;          // plans or items: a short task
constexpr std::size_t kScans = 2000000;     // the same in attributes looked through, where few are available
constexpr std::size_t kSmall = 64 * 1024;   // bytes that are read on the I/O thread
constexpr std::size_t kSmallAnswer = 256;   // plans or items that the trainer writes out itself
constexpr std::size_t kMostLists = 100;     // of expected attributes in the answers to a batch
constexpr std::size_t kStandardPage = 100;  // plans
constexpr std::size_t kLargestPage = 10000;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// A tell of one plan answers as any request: by its status.
unsigned http_status(TellStatus status) {
  switch (status) {
    case TellStatus::kExpired:
    case TellStatus::kAbandoned:
      return 410;
    case TellStatus::kUnknown:
      return 404;
    case TellStatus::kWrongAttributes:
    case TellStatus::kInvalidValue:
      return 422;
    case TellStatus::kInvalid:
      return 400;
    default:
      return 200;
  }
}

// How a slice of a task goes to the trainer: the first of so many plans or items, or the rest of them.
auto way_of(bool rest, std::size_t size) {
  if (rest) return &BlockQueue::post_rest;
  return size <= kShort ? &BlockQueue::post_short : &BlockQueue::post;
}

HttpResponse refusal(const Error& error) {
  if (error.code == ErrorCode::kTooLarge) return error_response(429, "too_many_plans", error.message);
  if (error.code == ErrorCode::kUnavailable) return error_response(409, "not_buying", error.message);
  return error_response(error);
}

}  // namespace

struct PlanApi::Asking {
  bool durable = false;
  AskRequest request;
  Respond respond;
  bool resolved = false;
  Available available;
  double expires_at = 0;
  AskedPlans plans;
};

struct PlanApi::Telling {
  bool durable = false;
  TellRequest request;
  Respond respond;
  std::vector<TellAnswer> answers;
  std::size_t lists = 0;  // of expected attributes
};

void PlanApi::answer(std::size_t size, Respond respond, std::function<HttpResponse()> make) {
  auto write = [this, respond = std::move(respond), make = std::move(make)]() mutable {
    respond_later(parts_.io, std::move(respond), make());
  };
  if (size <= kSmallAnswer) {
    write();
  } else {
    post_rendering(parts_.renderer, std::move(write));
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
  auto body = read_ask(request.body);
  if (!body) return respond(error_response(400, "invalid_ask", body.error().message));
  if (body->for_prediction) return parts_.choose(std::move(*body), std::move(respond));
  auto asking = std::make_shared<Asking>();
  asking->request = std::move(*body);
  asking->respond = std::move(respond);
  asking->durable = *durable;
  const double ttl = std::chrono::duration<double>(parts_.default_ttl).count();
  asking->expires_at = wall_seconds() + asking->request.ttl_seconds.value_or(ttl);
  ask_slice(std::move(asking), false);
}

void PlanApi::ask_slice(std::shared_ptr<Asking> asking, bool rest) {
  const auto post = way_of(rest, asking->request.count + asking->request.available.size());
  (parts_.queue.*post)([this, asking](StreamProcessor& processor) {
    const auto refuse = [&](HttpResponse response) {
      answer(0, std::move(asking->respond), [response = std::move(response)] { return response; });
    };
    const AskRequest& request = asking->request;
    if (request.names_available && !asking->resolved) {
      auto attributes = resolve_attributes(request.available, processor.names());
      if (!attributes) return refuse(error_response(422, "unknown_attribute", attributes.error().message));
      asking->available = std::move(*attributes);
      asking->resolved = true;
    }
    const std::size_t most = processor.plans().limit();
    if (asking->plans.rows.empty() && request.count > most)
      return refuse(
          error_response(400, "invalid_ask", fmt::format("count must be at most {} (--max-plans)", most)));
    const std::size_t left = request.count - asking->plans.rows.size();
    const std::size_t slice =
        asking->available
            ? std::clamp<std::size_t>(
                  kScans / (processor.learner().options().budget * asking->available->size() + 1), 1,
                  kPlanSlice)
            : kPlanSlice;
    const Status status = glimpse::ask(processor, std::min(left, slice), asking->available, wall_seconds(),
                                       asking->expires_at, asking->plans);
    // Those that were given out before it came to an end are the asker's all the same.
    if (!status && asking->plans.rows.empty()) return refuse(refusal(status.error()));
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
  auto read = [this, durable = *durable, body = std::move(request.body),
               respond = std::move(respond)]() mutable {
    auto items = read_tell(body);
    if (!items)
      return answer(0, std::move(respond),
                    [error = items.error()] { return error_response(400, "invalid_tell", error.message); });
    auto telling = std::make_shared<Telling>();
    telling->request = std::move(*items);
    telling->respond = std::move(respond);
    telling->durable = durable;
    tell_slice(std::move(telling), false);
  };
  if (request.body.size() <= kSmall) {
    read();
  } else {
    post_rendering(parts_.renderer, std::move(read));
  }
}

void PlanApi::tell_slice(std::shared_ptr<Telling> telling, bool rest) {
  const auto post = way_of(rest, telling->request.batch.items.size());
  (parts_.queue.*post)([this, telling](StreamProcessor& processor) {
    const TellBatch& batch = telling->request.batch;
    const double now = wall_seconds();
    for (std::size_t k = 0; k < kPlanSlice && telling->answers.size() < batch.items.size(); ++k) {
      TellAnswer& one = telling->answers.emplace_back(
          glimpse::tell(processor, *parts_.door, batch, batch.items[telling->answers.size()], now));
      if (one.expected.empty() || ++telling->lists <= kMostLists) continue;
      one.expected = {};
      one.names = {};
    }
    if (telling->answers.size() < batch.items.size()) return tell_slice(telling, true);
    parts_.trainer.publish();
    answer_durably(telling->durable, telling->answers.size(), std::move(telling->respond), [telling] {
      if (telling->request.is_batch) return json_response(told_json(telling->answers));
      const TellAnswer& one = telling->answers.front();
      return json_response(told_json(one), http_status(one.status));
    });
  });
}

void PlanApi::list(const HttpRequest& request, Respond respond) {
  std::size_t most = kStandardPage;
  if (const std::string text = query_value(request.query, "limit"); !text.empty()) {
    std::uint64_t limit = 0;
    if (!read_index(text, limit) || limit < 1 || limit > kLargestPage)
      return respond(error_response(400, "invalid_limit",
                                    fmt::format("limit '{}' must be from 1 to {}", text, kLargestPage)));
    most = limit;
  }
  PlanId after = 0;
  if (const std::string text = query_value(request.query, "after"); !text.empty()) {
    const auto id = parse_plan_id(text);
    if (!id) return respond(error_response(400, "invalid_id", "after '" + text + "' is no plan's id"));
    after = *id;
  }
  parts_.queue.post([this, most, after, respond = std::move(respond)](StreamProcessor& processor) mutable {
    processor.plans().expire(wall_seconds());
    auto page = std::make_shared<OpenPlansPage>();
    parts_.trainer.publish();  // what has expired just now
    const PlanBook& book = processor.plans();
    const auto plans = book.list(after, most + 1);
    page->more = plans.size() > most;
    for (std::size_t k = 0; k < std::min(plans.size(), most); ++k) {
      const OpenPlan& plan = *plans[k];
      auto& row = page->rows.emplace_back();
      row = {plan.id, plan.expires_at,        plan.cost,           plan.plan.attributes,
             {},      plan.label.has_value(), !plan.values.empty()};
      if (!processor.names().empty())
        for (const Attribute i : row.attributes) row.names.push_back(processor.names().callable_name(i));
    }
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
