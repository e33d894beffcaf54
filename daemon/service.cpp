#include "daemon/service.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/post.hpp>

#include "daemon/config/command_line.h"
#include "daemon/config/reload.h"
#include "daemon/summary.h"
#include "daemon/support/event_loop.h"
#include "daemon/support/heap.h"
#include "daemon/support/log_limit.h"
#include "daemon/support/prepared_post.h"
#include "daemon/support/signals.h"
#include "daemon/support/systemd.h"
#include "daemon/training/learner_watch.h"
#include "daemon/version.h"
#include "data/formats/validating_reader.h"

namespace glimpse {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {
constexpr std::chrono::seconds kFlush{2};  // for slow readers, at the end
constexpr unsigned kTrimEvery = 10;        // seconds
}  // namespace

Service::Service(Configuration configuration, std::vector<std::string> arguments, Prepared prepared)
    : configuration_(std::move(configuration)),
      arguments_(std::move(arguments)),
      prepared_(std::move(prepared)),
      queue_(configuration_.queue_bytes),
      replies_(STDOUT_FILENO),
      checkpointer_(prepared_.store.get(), prepared_.claim, prepared_.check, queue_, worker_),
      checkpoint_desk_(
          io_, [this](std::function<void(const Status&)> done) { make_asked_checkpoint(std::move(done)); }),
      stream_server_(io_, queue_,
                     [this](const std::shared_ptr<Door>& door) {
                       auto feed = make_feed(door, configuration_.format, "");
                       feed->error_replies = true;
                       return feed;
                     }),
      progress_(prepared_.processor->learner()) {}

Service::~Service() {
  queue_.discard();
  inputs_.clear();
  if (trainer_) trainer_->join();
  worker_.join();
  renderer_.join();
  jobs_.join();
}

std::shared_ptr<Door> Service::add_door(const std::string& name, const std::string& kind) {
  auto door = std::make_shared<Door>();
  door->name = name;
  door->kind = kind;
  doors_.push_back(door);
  return door;
}

FormatOptions Service::format_options() const {
  FormatOptions options;
  options.dimension = configuration_.learner.dimension;
  options.svmlight_index_base = configuration_.index_base;
  options.csv_label_column = configuration_.label_column;
  options.csv_delimiter = configuration_.delimiter;
  return options;
}

std::shared_ptr<Feed> Service::make_feed(const std::shared_ptr<Door>& door, Format format,
                                         const std::string& addressable_name) {
  auto feed = prepared_.processor->make_feed(door, format, format_options(), configuration_.max_line_bytes,
                                             addressable_name);
  if (configuration_.validate_full)
    feed->reader = std::make_unique<ValidatingReader>(std::move(feed->reader));
  feed->replies = configuration_.replies;
  return feed;
}

Status Service::open() {
  if (prepared_.store && !prepared_.restored.empty())
    checkpointer_.note_restored(prepared_.restored, prepared_.processor->learner().counts().examples);
  if (const Status status = entrance_.open(io_, configuration_); !status) return status;
  stream_server_.set_admit([this](const Caller& caller, std::optional<std::string_view> token,
                                  const Door& door) { return entrance_.admit(caller, token, door.name); },
                           [this](const Caller& caller) { return entrance_.asks(caller); });
  stream_server_.set_greeting_timeout(configuration_.greeting_timeout);
  stream_server_.set_idle_timeout(configuration_.idle_timeout);
  // From here on a signal ends it in order: who finds a door open may send one before run() waits for it.
  take_over_signals(signals_);
  SourceSupport sources;
  if (!prepared_.store)
    sources.refusal = "sources cannot be named: this glimpsed keeps no checkpoints (--state-directory DIR)";
  sources.ask_for_checkpoint = [this](std::weak_ptr<CheckpointWaiter> waiter) {
    checkpoint_desk_.ask(std::move(waiter));
  };
  checkpoint_desk_.set_share(configuration_.checkpoint_share);
  stream_server_.set_sources(std::move(sources));
  for (const Address& address : configuration_.listen) {
    const auto door = add_door(address.text(), address.kind == Address::Kind::kTcp ? "tcp" : "unix");
    if (const Status status = stream_server_.open(address, entrance_.stream_rules(configuration_), door);
        !status)
      return status;
  }
  http_door_ = configuration_.http ? add_door("http", "http") : nullptr;
  if (const Status status = open_inputs(); !status) return status;

  start_trainer();
  if (configuration_.http) {
    api_ = std::make_unique<HttpApi>(HttpApi::Parts{
        io_, renderer_, jobs_, queue_, *trainer_, solver_.get(), checkpointer_, entrance_.connections(),
        [this](StreamProcessor&, Format format) { return make_feed(http_door_, format, ""); }, http_door_,
        configuration_.plan_ttl});
    http_server_ = std::make_unique<HttpServer>(
        io_, entrance_.connections(),
        HttpServer::Limits{configuration_.max_header_bytes, configuration_.max_body_bytes,
                           configuration_.http_timeout, configuration_.max_requests},
        [this](const Caller& caller, const HttpHead& head) {
          return entrance_.refuse(caller, head, HttpApi::needed_access(head.method, head.path));
        },
        [this](HttpRequest request, Respond respond) {
          api_->handle(std::move(request), std::move(respond));
        });
    if (const Status status = http_server_->open(*configuration_.http, entrance_.http_rules(configuration_));
        !status)
      return status;
  }
  return write_first_checkpoint();
}

// Proves that the folder can be written before anything is learned, and touches the memory that later copies
// use. After all else that can fail, and not where an input is about to: a daemon that is started again and
// again in vain would have the older checkpoints rotated away.
Status Service::write_first_checkpoint() {
  records_at_start_ = prepared_.processor->records();
  if (!prepared_.store) return {};
  const bool in_vain = !configuration_.serve && !inputs_.empty() && !inputs_.check_first_beginning();
  if (in_vain) return {};
  // Proves that the folder can be written before anything is learned. A disk that is full now is as one that
  // fills later: it is told, and learning goes on.
  const Status status = checkpointer_.save_now(*prepared_.processor);
  if (status || is_full(status.error())) return {};
  return failure(status.error().code, "--state-directory {}: {}", configuration_.state_directory,
                 status.error().message);
}

Status Service::open_inputs() {
  inputs_.set_events({[this](const Status& status) { input_ended(status); },
                      [this](const std::string& name) { input_gave_up(name); }});
  for (const std::string& path : configuration_.inputs) {
    auto source = InputSource::open(path);
    if (!source) return source.error();
    if (const InputSource* other = inputs_.same_as(**source))
      return failure(ErrorCode::kInvalidOption, "--input {}: is the same file as --input {}", path,
                     other->name());
    const auto door = add_door((*source)->name(), path == "-" ? "stdin" : "file");
    const ReadingOptions before = prepared_.processor->reading_before((*source)->address());
    auto feed = make_feed(door, configuration_.format, (*source)->address());
    if (const Status status = (*source)->resume(*feed, before, reading_of(configuration_)); !status)
      return status;
    if (path == "-" && !configuration_.stdin_source.empty()) {
      const std::string& name = configuration_.stdin_source;
      if (const Status status = prepared_.processor->open_source(feed, name, 0); !status)
        return failure(status.error().code, "--stdin-source {}: {}", name, status.error().message);
      spdlog::info("stdin: source '{}': the first {} records are inside already", name,
                   feed->source->records);
    }
    if (feed->position > 0)
      spdlog::info("{}: resuming at byte {}, after {} records", path, feed->position, feed->records);
    const bool can_resume = prepared_.store && (feed->source || (*source)->is_regular());
    if (const Status status = inputs_.add(std::move(*source), std::move(feed), can_resume); !status)
      return status;
  }
  return {};
}

void Service::start_trainer() {
  const bool progress = configuration_.progress || ::isatty(STDERR_FILENO) == 1;
  StreamProcessor& processor = *prepared_.processor;
  checkpoint_examples_ = configuration_.checkpoint_examples;
  next_checkpoint_examples_ = processor.learner().counts().examples + checkpoint_examples_;
  drift_alarms_ = processor.learner().drift().alarms;
  // fputs and not fmt::print, which throws when standard error is a closed pipe.
  if (progress) std::fputs(ProgressTable::header(has_step(configuration_.learner.algorithm)).c_str(), stderr);

  Trainer::Hooks hooks;
  hooks.error = [limit = std::make_shared<LogLimit>()](const Feed& feed, const RecordError& error) {
    limit->warn(fmt::format("{}: line {}: {}", feed.door->name, error.record, error.message));
  };
  hooks.learned = [this, progress, &processor](double label) {
    const std::uint64_t examples = processor.learner().counts().examples;
    if (const DriftReport& drift = processor.learner().drift(); drift.alarms != drift_alarms_) {
      drift_alarms_ = drift.alarms;
      spdlog::warn(
          "the stream has changed: the mean squared error rose from {:.4g} to {:.4g}; noticed after {} "
          "examples, and what was learned before is forgotten (--drift auto)",
          drift.before, drift.after, drift.examples);
    }
    if (progress && progress_.due(examples))
      std::fputs(progress_.row(processor.learner(), label).c_str(), stderr);
    if (checkpoint_examples_ > 0 && examples >= next_checkpoint_examples_) {
      next_checkpoint_examples_ = examples + checkpoint_examples_;
      checkpointer_.request({});
    }
  };
  const auto tell_spent = [&processor] {
    const SpendingReport r = processor.buying().report();
    spdlog::warn(
        "nothing more is bought: {} attributes for {} were, and {} for {} are promised to open plans; "
        "further labelled examples are skipped (--total-budget, --total-cost)",
        r.attributes, format_money(r.cost), r.attributes_reserved, format_money(r.cost_reserved));
  };
  hooks.published = [watch = std::make_shared<LearnerWatch>(processor.learner().counts())](
                        const Statistics& s) { watch->note(s); };
  if (processor.buying().stopped()) tell_spent();  // before the restart
  hooks.spent = tell_spent;
  hooks.stopped = [this, post = std::make_shared<PreparedPost>()](std::string reason) {
    (*post)(io_, [this, reason = std::move(reason)] { trainer_stopped(reason); });
  };
  Solving* const solving = processor.learner().solving();
  if (solving != nullptr && solves_in_background(configuration_))
    solver_ = std::make_unique<ModelSolver>(processor.learner(), *solving, queue_);
  trainer_ = std::make_unique<Trainer>(processor, queue_, solver_.get(), doors_, configuration_.strict,
                                       std::move(hooks));
}

int Service::run() {
  trainer_->start();
  stream_server_.start();
  if (http_server_) http_server_->start();
  inputs_.start();
  await_signals();
  await_checkpoint_time();
  await_watchdog_time();
  if (api_) await_expiry_time();
  if (api_) api_->set_ready();
  notify_ready(fmt::format("{}, {} examples", configuration_.learner.algorithm,
                           trainer_->statistics().counts.examples));
  run_events(io_);
  return exit_status_;
}

void Service::await_signals() {
  signals_.async_wait([this](const error_code& error, int signal) {
    if (error) return;
    if (signal == SIGHUP) {
      reload();
    } else {
      begin_stop(signal == SIGTERM ? "SIGTERM" : "SIGINT", 0);
      hurry();
    }
    await_signals();
  });
}

void Service::await_checkpoint_time() {
  if (!prepared_.store || configuration_.checkpoint_every.count() == 0) return;
  checkpoint_timer_.expires_after(configuration_.checkpoint_every);
  checkpoint_timer_.async_wait([this](const error_code& error) {
    if (error || stopping_) return;
    await_checkpoint_time();
    checkpointer_.request_if_changed({});
  });
}

// By way of the trainer, behind what tells the sources' carriers.
void Service::make_asked_checkpoint(std::function<void(const Status&)> done) {
  checkpointer_.request_if_changed([this, done = std::move(done)](const Result<CheckpointStatus>& saved) {
    const Status status = saved ? Status() : Status(saved.error());
    queue_.post(
        [this, done, status](StreamProcessor&) { asio::post(io_, [done, status] { done(status); }); });
  });
}

// The pulse proves that the I/O thread runs, and that the trainer moves while it has work.
void Service::await_watchdog_time() {
  const auto interval = watchdog_interval();
  if (interval.count() == 0) return;
  watchdog_timer_.expires_after(interval);
  watchdog_timer_.async_wait([this](const error_code& error) {
    if (error) return;
    const std::uint64_t pulse = trainer_->pulse();
    if (pulse != watched_pulse_ || queue_.bytes() == 0) notify_watchdog();
    watched_pulse_ = pulse;
    await_watchdog_time();
  });
}

// So that what is told of plans and of money is true also while nobody asks.
void Service::await_expiry_time() {
  expiry_timer_.expires_after(1s);
  expiry_timer_.async_wait([this](const error_code& error) {
    if (error || stopping_) return;
    await_expiry_time();  // first: without memory the rest may be given up this time
    queue_.post([](StreamProcessor& processor) {
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      processor.plans().expire(std::chrono::duration<double>(now).count());
    });
    if (++seconds_ % kTrimEvery == 0) asio::post(renderer_, [] { give_pieces_back(); });
  });
}

void Service::reload() {
  if (stopping_) return;
  notify_reloading();
  const auto wanted = parse_command_line(arguments_);
  if (!wanted) {
    spdlog::error("SIGHUP: nothing was changed: {}", wanted.error().message);
  } else {
    Configuration next = wanted->configuration;
    if (next.learner.budget == 0) next.learner.budget = configuration_.learner.budget;
    if (next.learner.dimension == 0) next.learner.dimension = configuration_.learner.dimension;
    if (next.learner.algorithm == kAutomatic) next.learner.algorithm = configuration_.learner.algorithm;
    Configuration changed = configuration_;
    const auto fixed = apply_changes(changed, next);
    if (const Status status = entrance_.reload(changed); !status) {
      spdlog::error("SIGHUP: nothing was changed: {}", status.error().message);
      return notify_ready("running");
    }
    configuration_ = std::move(changed);
    queue_.post([this, examples = configuration_.checkpoint_examples,
                 clip = configuration_.clip](StreamProcessor& processor) {
      processor.set_clip(clip);
      checkpoint_examples_ = examples;
      next_checkpoint_examples_ = processor.learner().counts().examples + examples;
    });
    checkpoint_desk_.set_share(configuration_.checkpoint_share);
    if (http_server_) http_server_->set_timeout(configuration_.http_timeout);
    if (http_server_) http_server_->set_request_limit(configuration_.max_requests);
    stream_server_.set_idle_timeout(configuration_.idle_timeout);
    stream_server_.set_greeting_timeout(configuration_.greeting_timeout);
    spdlog::set_level(spdlog::level::from_str(configuration_.log_level));
    checkpoint_timer_.cancel();
    await_checkpoint_time();
    for (const std::string& name : fixed)
      spdlog::warn("SIGHUP: {} cannot change while running; restart to apply it", name);
    spdlog::info("SIGHUP: the configuration was read again");
  }
  notify_ready("running");
}

void Service::input_ended(const Status& status) {
  if (!status) {
    spdlog::error("{}", status.error().message);
    exit_status_ = 1;
  }
  if (stopping_) return stop_when_inputs_ended();
  if (inputs_.all_ended() && !configuration_.serve) begin_stop("the input has ended", exit_status_);
}

void Service::input_gave_up(const std::string& name) {
  exit_status_ = 1;
  spdlog::error(
      "{}: not enough memory for a record; learning from it stopped there, and goes on there when the same "
      "is given again",
      name);
}

void Service::begin_stop(const std::string& why, int exit_status) {
  if (stopping_) return;
  stopping_ = true;
  exit_status_ = std::max(exit_status_, exit_status);
  spdlog::info("stopping: {}", why);
  notify_stopping();
  if (api_) api_->set_stopping();
  entrance_.connections().is_stopping = true;
  checkpoint_timer_.cancel();
  checkpoint_desk_.stop();
  inputs_.stop();
  stream_server_.stop();
  stop_when_inputs_ended();
}

void Service::stop_when_inputs_ended() {
  if (inputs_.all_ended()) queue_.close();
}

void Service::trainer_stopped(const std::string& reason) {
  if (!reason.empty()) {
    spdlog::error("{}", reason);
    exit_status_ = 1;  // whatever began the stop: the input's end may have been noticed first
    begin_stop("--strict", 1);
  }
  trainer_->join();
  const bool in_vain = exit_status_ != 0 && prepared_.processor->records() == records_at_start_;
  if (prepared_.store) {
    worker_.join();  // a checkpoint that is being written
    const Status saved = in_vain ? Status() : checkpointer_.save_now(*prepared_.processor);
    if (!saved) exit_status_ = 1;
    checkpointer_.answer_waiting(saved);
  }
  flushing_ = true;
  connections_deadline_ = std::chrono::steady_clock::now() + kFlush;
  if (hurried_) hurry();
  finish_when_flushed();
}

// After a signal nobody waits for long for a reader of standard output; the end of the input alone waits as
// long as it takes.
void Service::hurry() {
  hurried_ = true;
  if (flushing_) replies_deadline_ = std::min(replies_deadline_, std::chrono::steady_clock::now() + kFlush);
}

// Replies that were given to the system's buffers leave by themselves; those of slow readers, and answers to
// requests that are on their way, get a moment.
void Service::finish_when_flushed() {
  const auto now = std::chrono::steady_clock::now();
  const bool connected = stream_server_.connections() > 0 || entrance_.connections().busy > 0;
  if ((connected && now < connections_deadline_) || (!replies_.idle() && now < replies_deadline_)) {
    flush_timer_.expires_after(20ms);
    flush_timer_.async_wait([this](const error_code&) { finish_when_flushed(); });
    return;
  }
  if (const std::size_t lines = replies_.abandon(); lines > 0)
    spdlog::warn("{} predictions were dropped: nobody read them from standard output", lines);
  stream_server_.abort();
  if (http_server_) http_server_->stop();
  log_summary(trainer_->statistics(), checkpointer_.status(), configuration_.learner.step);
  io_.stop();
}

}  // namespace glimpse
