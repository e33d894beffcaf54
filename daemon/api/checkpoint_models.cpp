#include "daemon/api/checkpoint_models.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include <boost/asio/post.hpp>

#include "daemon/http/http_types.h"
#include "daemon/support/memory_trouble.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::size_t kQueueBytes = std::size_t{1}
                                    << 20;  // of blocks, of which none come: requests are tasks

std::shared_ptr<Door> door_of(const std::string& name) {
  auto door = std::make_shared<Door>();
  door->name = name;
  door->kind = "http";
  return door;
}

}  // namespace

CheckpointServer::CheckpointServer(RestoredModel model, const HttpApi::Parts& main, MakeFeed make_feed)
    : model_(std::move(model)),
      queue_(kQueueBytes),
      door_(door_of(model_.name)),
      trainer_(*model_.processor, queue_, nullptr, nullptr, {door_}, false, {}),
      checkpointer_(nullptr, {}, {}, queue_, main.renderer),
      api_({main.io,
            main.renderer,
            main.jobs,
            queue_,
            trainer_,
            nullptr,
            checkpointer_,
            main.connections,
            [door = door_, make = std::move(make_feed)](StreamProcessor& processor, const BodyReading& body) {
              return make(processor, door, body);
            },
            door_,
            main.plan_ttl,
            main.labels,
            nullptr,
            {},
            {},
            model_.written_at}) {
  trainer_.start();
}

CheckpointServer::~CheckpointServer() { stop(); }

void CheckpointServer::stop() {
  queue_.close();
  trainer_.join();
}

void CheckpointServer::answer(const std::shared_ptr<CheckpointServer>& self, HttpRequest request,
                              Respond respond) {
  self->api_.route(std::move(request), [self, respond = std::move(respond)](HttpResponse response) {
    response.headers.emplace_back("Glimpse-Checkpoint", self->model_.name);
    respond(std::move(response));
  });
}

namespace {

constexpr std::string_view kPaths[] = {"/v1/model", "/v1/moments", "/v1/predict", "/v1/status"};

std::chrono::steady_clock::time_point steady(std::int64_t since_1970) {
  const std::chrono::system_clock::time_point at{
      std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds(since_1970))};
  const auto age = std::chrono::system_clock::now() - at;
  return std::chrono::steady_clock::now() - std::max(age, age.zero());
}

bool is_free(const CheckpointModels::Server& server) { return server.use_count() == 1; }

}  // namespace

HttpResponse checkpoint_refusal(const std::string& text, const Error& error) {
  const std::string what = "checkpoint " + in_quotes(text) + ": " + error.message;
  switch (error.code) {
    case ErrorCode::kInvalidInput:
      return error_response(400, "invalid_checkpoint", what);
    case ErrorCode::kNotFound:
      return error_response(
          404, "unknown_checkpoint",
          what + "; the newest --checkpoint-keep are kept, and GET /v1/checkpoints lists them");
    case ErrorCode::kCorrupt:
      return error_response(409, "damaged_checkpoint",
                            what + "; take another one, which GET /v1/checkpoints lists");
    case ErrorCode::kMismatch:
      return error_response(409, "other_options", what);
    case ErrorCode::kTooLarge:
      return error_response(413, "checkpoint_too_large", what);
    case ErrorCode::kUnavailable:
      return error_response(503, "unavailable", what);
    default:
      return error_response(error);
  }
}

CheckpointModels::CheckpointModels(HttpApi::Parts main, CheckpointFolder folder, Rebuild rebuild,
                                   MakeFeed make_feed, Limits limits)
    : main_(std::move(main)),
      folder_(std::move(folder)),
      make_feed_(std::move(make_feed)),
      limits_(limits),
      idle_(main_.io),
      rebuild_(std::move(rebuild)) {}

CheckpointModels::~CheckpointModels() { stop(); }

bool CheckpointModels::takes_checkpoint(std::string_view path) {
  return std::ranges::find(kPaths, path) != std::end(kPaths);
}

void CheckpointModels::answer(HttpRequest request, Respond respond) {
  const std::string text = query_value(request.query, "checkpoint");
  request.query = without_key(request.query, "checkpoint");
  await_idle();
  main_.jobs.post([this, text, request = std::move(request),
                   shared = std::make_shared<Respond>(std::move(respond))]() mutable {
    auto server = get(text);
    if (!server) return respond_later(main_.io, std::move(*shared), checkpoint_refusal(text, server.error()));
    boost::asio::post(main_.io,
                      [server = std::move(*server), request = std::move(request), shared]() mutable {
                        CheckpointServer::answer(server, std::move(request), std::move(*shared));
                      });
  });
}

Result<CheckpointModels::Server> CheckpointModels::get(const std::string& text) {
  GLIMPSE_TRY_ASSIGN(const auto file, folder_.find(text));
  {
    const std::lock_guard lock(mutex_);
    if (Server server = find(file)) return server;
  }
  GLIMPSE_TRY(wait_in_line());
  const std::lock_guard restoring(restoring_);
  {
    const std::lock_guard lock(mutex_);
    --waiting_;
    if (Server server = find(file)) return server;
    GLIMPSE_TRY(make_room(file.bytes));
  }
  GLIMPSE_TRY_ASSIGN(auto model, restore(file, limits_.most_bytes));
  const bool learned_nothing = model.processor->has_learned_nothing();
  const bool of_classes = has_classes();
  if (learned_nothing && of_classes) model.processor->begin_classes();
  // A learner that solves does so here: requests are answered on threads that are to be quick.
  (void)model.processor->learner().shared_model();
  Server server = serve(std::move(model));
  const std::lock_guard lock(mutex_);
  if (stopped_) return failure(ErrorCode::kUnavailable, "glimpsed is about to end");
  entries_.push_back({file, server, Clock::now(), learned_nothing && !of_classes});
  return server;
}

// The last who holds it may be its own trainer, which cannot wait for its end: another thread does. After
// stop() there is nothing to wait for.
CheckpointModels::Server CheckpointModels::serve(RestoredModel model) {
  auto made = std::make_unique<CheckpointServer>(std::move(model), main_, make_feed_);
  return {made.release(),
          [alive = std::weak_ptr<const int>(alive_), &jobs = main_.jobs,
           // Taken now: a destructor cannot report that there is no memory.
           end = std::make_shared<std::unique_ptr<CheckpointServer>>()](CheckpointServer* last) {
            end->reset(last);
            once_memory_allows(
                "the memory of a checkpoint that was asked for by name (?checkpoint=) is freed later",
                [&] { jobs.post([end] { end->reset(); }); }, [&] { return alive.expired(); });
          }};
}

Status CheckpointModels::wait_in_line() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return failure(ErrorCode::kUnavailable, "glimpsed is about to end");
  if (waiting_ == kMostWaiting)
    return failure(ErrorCode::kUnavailable,
                   "{} requests wait for checkpoints that are not in memory: try again", waiting_);
  ++waiting_;
  return {};
}

Result<RestoredModel> CheckpointModels::restore_for_good(const std::string& text) {
  GLIMPSE_TRY_ASSIGN(const auto file, folder_.find(text));
  GLIMPSE_TRY(wait_in_line());
  const std::lock_guard restoring(restoring_);
  {
    const std::lock_guard lock(mutex_);
    --waiting_;
  }
  return restore(file, limits_.most_promoted);
}

// What a model that has learned nothing predicts is said by what was learned since.
bool CheckpointModels::has_classes() const { return main_.trainer.statistics().classes.has_value(); }

// Under mutex_. A file of that name which is another one now takes its place.
CheckpointModels::Server CheckpointModels::find(const CheckpointFolder::Listed& file) {
  const auto at =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.file.name == file.name; });
  if (at == entries_.end()) return nullptr;
  if (at->file == file && !(at->is_open && has_classes())) {
    at->asked_at = Clock::now();
    return at->server;
  }
  retired_.push_back(std::move(*at));
  entries_.erase(at);
  return nullptr;
}

// Under mutex_. Those asked for longest ago go first.
Status CheckpointModels::make_room(std::uint64_t bytes) {
  if (limits_.most == 0)
    return failure(
        ErrorCode::kUnavailable,
        "--max-compared is 0: no checkpoint is answered from; start with --max-compared 1 or more");
  if (bytes > limits_.most_bytes)
    return failure(ErrorCode::kTooLarge,
                   "it has {} bytes, and those that are answered from may have {} together: start with a "
                   "larger --compared-memory",
                   bytes, limits_.most_bytes);
  std::erase_if(retired_, [](const Entry& entry) { return is_free(entry.server); });
  std::ranges::sort(entries_, {}, &Entry::asked_at);
  for (;;) {
    std::uint64_t taken = 0;
    for (const auto* const list : {&entries_, &retired_})
      for (const Entry& entry : *list) taken += entry.file.bytes;
    if (entries_.size() + retired_.size() < limits_.most && taken + bytes <= limits_.most_bytes) return {};
    const auto idle =
        std::ranges::find_if(entries_, [](const Entry& entry) { return is_free(entry.server); });
    if (idle == entries_.end())
      return failure(ErrorCode::kUnavailable,
                     "{} others, of {} bytes, are being asked for, and leave no room for its {} "
                     "(--max-compared {}, --compared-memory {}): try again",
                     entries_.size() + retired_.size(), taken, bytes, limits_.most, limits_.most_bytes);
    entries_.erase(idle);
  }
}

Result<RestoredModel> CheckpointModels::restore(const CheckpointFolder::Listed& file,
                                                std::uint64_t most_bytes) {
  Rebuild rebuild;
  {
    const std::lock_guard lock(mutex_);
    rebuild = rebuild_;
  }
  GLIMPSE_TRY_ASSIGN(const auto state, folder_.load(file.name, most_bytes));
  GLIMPSE_TRY_ASSIGN(auto processor, rebuild(state));
  return RestoredModel{file.name, steady(file.modified), std::move(processor)};
}

void CheckpointModels::set_rebuild(Rebuild rebuild) {
  const std::lock_guard lock(mutex_);
  rebuild_ = std::move(rebuild);
  std::ranges::move(entries_, std::back_inserter(retired_));
  entries_.clear();
  std::erase_if(retired_, [](const Entry& entry) { return is_free(entry.server); });
}

void CheckpointModels::drop_idle(Clock::time_point asked_before) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_,
                [&](const Entry& entry) { return is_free(entry.server) && entry.asked_at < asked_before; });
  std::erase_if(retired_, [](const Entry& entry) { return is_free(entry.server); });
}

void CheckpointModels::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (const auto* const list : {&entries_, &retired_})
    for (const Entry& entry : *list) entry.server->stop();
}

void CheckpointModels::await_idle() {
  if (idle_set_) return;
  idle_.expires_after(kIdle);
  idle_.async_wait([this](const boost::system::error_code& error) {
    idle_set_ = false;
    if (error) return;
    drop_idle(Clock::now() - kIdle);
    const std::lock_guard lock(mutex_);
    if (!entries_.empty() || !retired_.empty()) await_idle();
  });
  idle_set_ = true;  // behind what may throw
}

}  // namespace glimpse
