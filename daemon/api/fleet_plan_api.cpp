#include "daemon/api/fleet_plan_api.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/json.hpp>

#include "daemon/fleet/plan_token.h"
#include "daemon/http/http_types.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongest{1};  // of one ask, while a partition's messages wait

// One that a header may have.
bool is_plain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

HttpResponse elsewhere(std::uint32_t partition, const std::string& owner) {
  const std::string message = fmt::format(
      "partition {} is another instance's: the one that answers at {} has its plans", partition, owner);
  boost::json::object body{{"error", {{"code", "elsewhere"}, {"message", valid_utf8(message)}}},
                           {"partition", partition},
                           {"owner", valid_utf8(owner)}};
  HttpResponse response = json_response(boost::json::serialize(body) + "\n", 409);
  if (is_plain(owner)) response.headers.emplace_back("Glimpse-Owner", owner);
  return response;
}

HttpResponse not_committed() {
  return error_response(503, "not_committed",
                        "the partition went to another instance before a state that has this was committed: "
                        "send the same again; what was kept all the same is a duplicate then");
}

HttpResponse no_member() {
  return error_response(
      503, "unavailable",
      "this instance is no member of the fleet now: it has not reached the brokers yet, or ends");
}

// Among those that are here the one with the fewest open plans, so that examples are spread.
std::optional<std::uint32_t> choose_partition(FleetMember& member) {
  std::optional<std::uint32_t> best;
  std::size_t fewest = 0;
  for (std::uint32_t p = 0; p < member.partitions(); ++p) {
    OwnedPartition* const owned = member.owned(p);
    if (owned == nullptr) continue;
    const std::size_t open = owned->processor().plans().open();
    if (!best || open < fewest) {
      best = p;
      fewest = open;
    }
  }
  return best;
}

// None: the query has none. Errors: it is no partition's number.
Result<std::optional<std::uint32_t>> read_partition(const std::string& query) {
  if (!has_key(query, "partition")) return std::optional<std::uint32_t>();
  const std::string text = query_value(query, "partition");
  std::uint64_t number = 0;
  if (!read_index(text, number) || number > ~std::uint32_t{0})
    return failure(ErrorCode::kInvalidInput, "partition {} must be a whole number from 0", in_quotes(text));
  return std::optional(static_cast<std::uint32_t>(number));
}

HttpResponse no_such_partition(std::uint32_t partition, std::uint32_t partitions) {
  return error_response(
      400, "invalid_partition",
      fmt::format("there is no partition {}: the topic has {}, from 0", partition, partitions));
}

}  // namespace

struct FleetPlanApi::Asking {
  std::shared_ptr<Respond> respond;
  HttpRequest asked;
  std::optional<std::string> label;  // of the path
  std::optional<std::uint32_t> partition;
  AskRequest request;
  AskedPlans plans;
};

struct FleetPlanApi::Telling {
  std::shared_ptr<Respond> respond;
  std::string body;
  Door door;  // of nobody: who learned what is told by partitions
  TellBatch batch;
  bool is_batch = false;
  std::vector<TellAnswer> answers;
  AnswerBounds bounds;
  std::optional<FleetReport> report;  // asked for where an item is another's
  std::size_t awaited = 0;            // commits
  bool is_lost = false;               // one of them will not come
  bool is_small() const { return answers.size() <= 256; }
};

void FleetPlanApi::answer(Respond& respond, HttpResponse response) {
  respond_later(parts_.io, std::move(respond), std::move(response));
}

HttpResponse FleetPlanApi::not_here(std::uint32_t partition) const {
  const FleetReport report = parts_.facts().report;
  const auto later = [&](std::string_view why) {
    return error_response(503, "unavailable", fmt::format("partition {} {}: try again soon", partition, why));
  };
  if (partition >= report.partitions.size()) return later("is not known yet");
  const PartitionReport& of = report.partitions[partition];
  if (of.phase != FleetMember::Phase::kUnowned) return later("is being taken over by this instance");
  if (of.owner.empty()) return later("has no owner that is known");
  return elsewhere(partition, of.owner);
}

void FleetPlanApi::with_member(std::shared_ptr<Respond> respond, std::function<void(FleetMember&)> work) {
  parts_.post([this, respond = std::move(respond), work = std::move(work)](FleetMember* member) {
    if (member == nullptr) return answer(*respond, no_member());
    work(*member);
  });
}

void FleetPlanApi::ask(HttpRequest request, Respond respond) {
  const auto partition = read_partition(request.query);
  if (!partition) return respond(error_response(400, "invalid_partition", partition.error().message));
  auto asking = std::make_shared<Asking>();
  asking->respond = std::make_shared<Respond>(std::move(respond));
  asking->partition = *partition;
  if (has_key(request.query, "label")) asking->label = query_value(request.query, "label");
  asking->asked = std::move(request);
  if (asking->asked.body.size() <= kSmallPlanBody) return read_ask_of(asking);
  parts_.jobs.post([this, asking] { read_ask_of(asking); });
}

// On the I/O thread, or a thread of LargeJobs.
void FleetPlanApi::read_ask_of(const std::shared_ptr<Asking>& asking) {
  if (auto refused = read_whole_ask(asking->asked.body, asking->label, asking->request))
    return answer(*asking->respond, std::move(*refused));
  if (asking->request.for_prediction)
    return boost::asio::post(
        parts_.io, [this, asking] { parts_.choose(std::move(asking->asked), std::move(*asking->respond)); });
  with_member(asking->respond, [this, asking](FleetMember& member) {
    if (asking->partition && *asking->partition >= member.partitions())
      return answer(*asking->respond, no_such_partition(*asking->partition, member.partitions()));
    const auto partition = asking->partition ? asking->partition : choose_partition(member);
    if (!partition || member.owned(*partition) == nullptr)
      return answer(*asking->respond, not_here(partition.value_or(0)));
    give_plans(*asking, member, *partition);
    if (asking->plans.rows.empty()) return;
    member.await_commit(*partition, [this, asking](bool is_committed) {
      answer(*asking->respond, is_committed ? json_response(asked_json(asking->plans)) : not_committed());
    });
  });
}

// Plans into `asking`; none where it was answered why.
void FleetPlanApi::give_plans(Asking& asking, FleetMember& member, std::uint32_t partition) {
  StreamProcessor& processor = member.owned(partition)->processor();
  AskRequest& request = asking.request;
  if (request.names_available) {
    request.resolved.emplace();
    Status known = resolve_attributes(request.available, processor.names(), *request.resolved);
    if (known) known = sort_attributes(*request.resolved);
    if (!known)
      return answer(*asking.respond, error_response(422, "unknown_attribute", known.error().message));
  }
  const std::size_t most = processor.plans().limit();
  if (request.count > most)
    return answer(
        *asking.respond,
        error_response(400, "invalid_ask", fmt::format("count must be at most {} (--max-plans)", most)));
  const double now = wall_seconds();
  const double ttl = request.ttl_seconds.value_or(std::chrono::duration<double>(parts_.default_ttl).count());
  asking.plans.prefix = plan_prefix(partition);
  const auto end = Clock::now() + kLongest;
  const std::size_t slice = request.resolved ? 1 : kPlanSlice;
  while (asking.plans.rows.size() < request.count) {
    const std::size_t left = request.count - asking.plans.rows.size();
    const Status status =
        glimpse::ask(processor, std::min(left, slice), request.resolved, now, now + ttl, asking.plans);
    if (!status && asking.plans.rows.empty()) return answer(*asking.respond, ask_refusal(status.error()));
    if (!status) asking.plans.stopped = status.error().message;
    if (!status) return;
    if (asking.plans.rows.size() < request.count && Clock::now() > end) {
      asking.plans.stopped = "the messages of the partition wait: ask again for the others";
      return;
    }
  }
}

void FleetPlanApi::tell(HttpRequest request, Respond respond) {
  auto telling = std::make_shared<Telling>();
  telling->respond = std::make_shared<Respond>(std::move(respond));
  telling->body = std::move(request.body);
  if (telling->body.size() <= kSmallPlanBody) return read_tell_of(telling);
  parts_.jobs.post([this, telling] { read_tell_of(telling); });
}

void FleetPlanApi::read_tell_of(const std::shared_ptr<Telling>& telling) {
  auto items = TellItems::open(telling->body);
  if (!items) return answer(*telling->respond, error_response(400, "invalid_tell", items.error().message));
  telling->is_batch = items->is_batch();
  items->next(telling->batch, kNoLimit, kNoLimit);
  with_member(telling->respond, [this, telling](FleetMember& member) { tell_all(telling, member); });
}

void FleetPlanApi::tell_all(const std::shared_ptr<Telling>& telling, FleetMember& member) {
  std::vector<bool> touched(member.partitions());
  telling->answers.reserve(telling->batch.items.size());
  for (std::size_t i = 0; i < telling->batch.items.size(); ++i) {
    const auto token = parse_plan_token(telling->batch.items[i].id);
    telling->answers.push_back(tell_one(*telling, member, i));
    telling->bounds.shorten(telling->answers.back());
    if (token && token->partition < touched.size() && member.owned(token->partition) != nullptr)
      touched[token->partition] = true;
  }
  telling->awaited = 1 + static_cast<std::size_t>(std::ranges::count(touched, true));
  const auto committed = [this, telling](bool is_committed) {
    telling->is_lost = telling->is_lost || !is_committed;
    if (--telling->awaited == 0) finish(telling);
  };
  for (std::uint32_t p = 0; p < touched.size(); ++p)
    if (touched[p]) member.await_commit(p, committed);
  committed(true);  // where there was nothing to wait for, now
}

TellAnswer FleetPlanApi::tell_one(Telling& telling, FleetMember& member, std::size_t item) {
  Told& told = telling.batch.items[item];
  TellAnswer answer;
  answer.id = told.id;
  const auto token = parse_plan_token(told.id);
  if (!told.error.empty()) {
    answer.message = told.error;  // kInvalid
  } else if (!token || token->partition >= member.partitions()) {
    answer.status = TellStatus::kUnknown;
    answer.message =
        fmt::format("{} is no plan's id of this fleet; ids look like p3-3f9a2b-1842, of the {} partitions",
                    in_quotes(told.id), member.partitions());
  } else if (OwnedPartition* const owned = member.owned(token->partition); owned != nullptr) {
    told.id = token->id;
    std::string id = std::move(answer.id);
    answer = glimpse::tell(owned->processor(), telling.door, telling.batch, told, wall_seconds());
    answer.id = std::move(id);
  } else {
    if (!telling.report) telling.report = parts_.facts().report;
    const auto& partitions = telling.report->partitions;
    answer.status = TellStatus::kElsewhere;
    answer.message =
        fmt::format("partition {} is another instance's, and nothing was told", token->partition);
    if (token->partition < partitions.size()) answer.owner = partitions[token->partition].owner;
  }
  return answer;
}

// On the fleet's thread.
void FleetPlanApi::finish(const std::shared_ptr<Telling>& telling) {
  if (telling->is_lost) return answer(*telling->respond, not_committed());
  if (!telling->is_batch) {
    const TellAnswer& one = telling->answers.front();
    if (one.status == TellStatus::kElsewhere) {
      const auto token = parse_plan_token(one.id);
      HttpResponse refused = not_here(token->partition);
      if (refused.status != 409) return answer(*telling->respond, std::move(refused));
    }
    return answer(*telling->respond, json_response(told_json(one), http_status(one.status)));
  }
  auto write = [this, telling] {
    std::size_t learned = 0;
    std::string results = told_results_json(telling->answers, true, learned);
    answer(*telling->respond,
           json_response(fmt::format("{{\"results\":[{}],\"learned\":{}}}\n", results, learned)));
  };
  if (telling->is_small())
    write();
  else
    parts_.jobs.post(std::move(write));
}

void FleetPlanApi::list(const HttpRequest& request, Respond respond) {
  const auto most = read_plan_limit(request.query);
  if (!most) return respond(error_response(400, "invalid_limit", most.error().message));
  const auto only = read_partition(request.query);
  if (!only) return respond(error_response(400, "invalid_partition", only.error().message));
  std::uint32_t first = 0;
  PlanId after = 0;
  if (const std::string text = query_value(request.query, "after"); !text.empty()) {
    const auto token = parse_plan_token(text);
    const auto id = token ? parse_plan_id(token->id) : std::nullopt;
    if (!id)
      return respond(error_response(400, "invalid_id", "after " + in_quotes(text) + " is no plan's id"));
    first = token->partition;
    after = *id;
  }
  auto shared = std::make_shared<Respond>(std::move(respond));
  with_member(shared, [this, shared, most = *most, only = *only, first, after](FleetMember& member) {
    if (only && *only >= member.partitions())
      return answer(*shared, no_such_partition(*only, member.partitions()));
    if (only && member.owned(*only) == nullptr) return answer(*shared, not_here(*only));
    OpenPlansPage page;
    for (std::uint32_t p = 0; p < member.partitions(); ++p) {
      OwnedPartition* const owned = member.owned(p);
      if (owned == nullptr || (only && p != *only)) continue;
      const StreamProcessor& processor = owned->processor();
      owned->processor().expire_plans(wall_seconds());
      const PlanBook& book = processor.plans();
      page.open += book.open();
      page.counts.given += book.counts().given;
      page.counts.learned += book.counts().learned;
      page.counts.not_learned += book.counts().not_learned;
      page.counts.expired += book.counts().expired;
      page.counts.abandoned += book.counts().abandoned;
      if (p < first) continue;
      for (const OpenPlan* const plan : book.list(p == first ? after : 0, most + 1 - page.rows.size())) {
        page.rows.push_back(row_of(*plan, processor));
        page.rows.back().prefix = plan_prefix(p);
      }
    }
    page.more = page.rows.size() > most;
    if (page.more) page.rows.pop_back();
    answer(*shared, json_response(plans_json(page)));
  });
}

void FleetPlanApi::abandon(const std::string& text, Respond respond) {
  const auto token = parse_plan_token(text);
  const std::string unknown = "there is no open plan " + in_quotes(text);
  if (!token) return respond(error_response(404, "unknown", unknown));
  auto shared = std::make_shared<Respond>(std::move(respond));
  with_member(shared, [this, shared, text, unknown, partition = token->partition,
                       id = std::string(token->id)](FleetMember& member) {
    if (partition >= member.partitions()) return answer(*shared, error_response(404, "unknown", unknown));
    OwnedPartition* const owned = member.owned(partition);
    if (owned == nullptr) return answer(*shared, not_here(partition));
    const Status status = glimpse::abandon(owned->processor(), id, wall_seconds());
    if (!status) {
      const bool is_unknown = status.error().code == ErrorCode::kNotFound;
      return answer(*shared, error_response(is_unknown ? 404 : 409, is_unknown ? "unknown" : "closed",
                                            is_unknown ? unknown : status.error().message));
    }
    member.await_commit(partition, [this, shared, text](bool is_committed) {
      answer(*shared, is_committed
                          ? json_response(fmt::format("{{\"id\":\"{}\",\"status\":\"abandoned\"}}\n", text))
                          : not_committed());
    });
  });
}

}  // namespace glimpse
