#include "daemon/service.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <spdlog/spdlog.h>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/post.hpp>

#include "daemon/config/command_line.h"
#include "daemon/config/schema_choice.h"
#include "daemon/summary.h"
#include "daemon/support/event_loop.h"
#include "daemon/support/memory_trouble.h"
#include "daemon/support/prepared_post.h"
#include "daemon/support/systemd.h"
#include "daemon/topic_doors.h"

namespace glimpse {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {
constexpr std::chrono::seconds kFlush{2};  // for slow readers, at the end

void note_restart(StreamProcessor& processor) {
  const std::chrono::duration<double> time = std::chrono::system_clock::now().time_since_epoch();
  const auto examples = static_cast<double>(processor.learner().counts().examples);
  processor.history().add(HistoryEvent{HistoryEvent::Kind::kRestart, time.count(), examples, 0});
}
}  // namespace

Service::Service(Configuration configuration, std::vector<std::string> arguments, Prepared prepared)
    : configuration_(std::move(configuration)),
      started_(configuration_),
      arguments_(std::move(arguments)),
      prepared_(std::move(prepared)),
      queue_(configuration_.queue_bytes),
      replies_(STDOUT_FILENO),
      checkpointer_(prepared_.store.get(), prepared_.claim, prepared_.check, queue_, worker_),
      checkpoint_desk_(
          io_, [this](std::function<void(const Status&)> done) { make_asked_checkpoint(std::move(done)); }),
      stream_server_(io_, queue_, [this](const std::shared_ptr<Door>& door) {
        auto feed = make_feed(door, {configuration_.format, {}});
        feed->error_replies = ErrorReplies::kAll;
        return feed;
      }) {}

Service::~Service() {
  queue_.discard();
  inputs_.clear();
  if (fleet_) fleet_->stop();
  if (trainer_) trainer_->join();
  fleet_.reset();
  if (checkpoints_) checkpoints_->stop();
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

Status Service::open() {
  if (prepared_.store && !prepared_.restored.empty())
    checkpointer_.note_restored(prepared_.restored, prepared_.processor->learner().counts().examples);
  GLIMPSE_TRY(entrance_.open(io_, configuration_));
  stream_server_.set_admit(
      [this](const Caller& caller, std::optional<std::string_view> token, const Door& door, bool again) {
        return entrance_.admit(caller, token, door.name, again);
      },
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
    GLIMPSE_TRY(stream_server_.open(address, entrance_.stream_rules(configuration_), door));
  }
  http_door_ = configuration_.http.empty() ? nullptr : add_door("http", "http");
  GLIMPSE_TRY(open_inputs());

  start_trainer();
  GLIMPSE_TRY(open_fleet());
  if (!configuration_.http.empty()) {
    open_api();
    http_server_ = std::make_unique<HttpServer>(
        io_, entrance_.connections(),
        HttpLimits{configuration_.max_header_bytes, configuration_.max_body_bytes,
                   configuration_.http_timeout, configuration_.max_requests},
        [this](const Caller& caller, const HttpHead& head) -> std::optional<HttpResponse> {
          if (!HttpApi::is_open(head.method, head.path))
            if (auto refusal = entrance_.refuse(caller, head, HttpApi::needed_access(head.method, head.path)))
              return refusal;
          return head.has_body ? api_->refuse_method(head.method, head.path) : std::nullopt;
        },
        [this](HttpRequest request, Respond respond) {
          api_->handle(std::move(request), std::move(respond));
        });
    for (const Address& address : configuration_.http)
      GLIMPSE_TRY(http_server_->open(address, entrance_.http_rules(configuration_)));
  }
  return write_first_checkpoint();
}

// Proves that the folder can be written before anything is learned, and touches the memory that later copies
// use. After all else that can fail, and not where an input is about to: a daemon that is started again and
// again in vain would have the older checkpoints rotated away.
Status Service::write_first_checkpoint() {
  records_at_start_ = prepared_.processor->records();
  if (!prepared_.store) return {};
  const bool in_vain = !configuration_.serve && !configuration_.reads_standard_input && !inputs_.empty() &&
                       !inputs_.check_first_beginning();
  if (in_vain) return {};
  // Proves that the folder can be written before anything is learned. A disk that is full now is as one that
  // fills later: it is told, and learning goes on.
  const Status status = checkpointer_.save_now(*prepared_.processor);
  if (status || is_full(status.error())) return {};
  return failure(status.error().code, "--state-directory {}: {}", configuration_.state_directory,
                 status.error().message);
}

void Service::start_trainer() {
  StreamProcessor& processor = *prepared_.processor;
  log_.emplace(processor, configuration_.progress || ::isatty(STDERR_FILENO) == 1, configuration_.classes);
  checkpoint_schedule_.set_examples(configuration_.checkpoint_examples,
                                    processor.learner().counts().examples);
  if (!prepared_.restored.empty()) note_restart(processor);
  processor.words().set_tell([](const std::string& what) { spdlog::info("{}", what); });
  if (const std::size_t threads = threads_of(configuration_); threads > 1) {
    reading_threads_ = std::make_unique<ReadingThreads>(threads - 1);
    // Not the processor's: every thread ends before the signals that end the process are nobody's.
    processor.set_read_jobs({std::shared_ptr<void>(), reading_threads_.get()});
    processor.set_helpers({std::shared_ptr<void>(), reading_threads_.get()});
  }
  Trainer::Hooks hooks;
  hooks.error = [this](const Feed& feed, const RecordError& error) { log_->note_error(feed, error); };
  hooks.learned = [this, &processor](double label) {
    log_->note_learned(label);
    checkpoint_schedule_.note_learned(processor.learner().counts().examples);
  };
  hooks.published = [this](const Statistics& statistics) { log_->note_published(statistics); };
  hooks.failures = [this] { return checkpointer_.failures(); };
  hooks.spent = [this] { log_->note_spent(); };
  hooks.stopped = [this, post = std::make_shared<PreparedPost>()](std::string reason) {
    (*post)(io_, [this, reason = std::move(reason)] { trainer_stopped(reason); });
  };
  Solving* const solving = processor.learner().solving();
  if (solving != nullptr && solves_in_background(configuration_))
    solver_ = std::make_unique<ModelSolver>(processor.learner(), *solving, queue_);
  else if (solving != nullptr && configuration_.learner.dimension > kSolvedAtOnce &&
           std::thread::hardware_concurrency() > 1)
    judges_ = std::make_unique<JudgeWorker>();
  trainer_ = std::make_unique<Trainer>(processor, queue_, solver_.get(), judges_.get(), doors_,
                                       configuration_.strict, std::move(hooks));
}

int Service::run() {
  trainer_->start();
  stream_server_.start();
  if (http_server_) http_server_->start();
  inputs_.start();
  for (const auto& [door, status] : failed_inputs_)
    asio::post(io_, [this, door = door, status = status] { input_ended(door, status); });
  if (fleet_) fleet_->start(fleet_address());
  await_signals();
  if (prepared_.store) checkpoint_schedule_.set_time(configuration_.checkpoint_every);
  upkeep_.start(*trainer_, api_ != nullptr);
  if (api_) api_->set_ready();
  // glimpsectl serve looks for the address behind " at ".
  notify_ready(fmt::format("{}, {} examples{}", configuration_.learner.algorithm,
                           trainer_->statistics().counts.examples,
                           http_server_ ? " at " + http_server_->addresses().front() : std::string()));
  run_events(io_);
  return exit_status_;
}

void Service::await_signals() {
  signals_.async_wait(
      asio::bind_allocator(signalled_.allocator(), [this](const error_code& error, int signal) {
        if (error) return;
        await_signals();  // first: without memory the rest may be given up this time
        if (signal == SIGHUP) {
          reload();
        } else if (signal == SIGUSR1 || signal == SIGUSR2) {
          spdlog::warn("{} was ignored: SIGHUP reads the configuration again, and SIGTERM ends glimpsed",
                       signal == SIGUSR1 ? "SIGUSR1" : "SIGUSR2");
        } else {
          begin_stop(signal == SIGTERM ? "SIGTERM" : "SIGINT", 0);
          hurry();
        }
      }));
}

// By way of the trainer, behind what tells the sources' carriers.
void Service::make_asked_checkpoint(std::function<void(const Status&)> done) {
  checkpointer_.request_if_changed([this, done = std::move(done)](const Result<CheckpointStatus>& saved) {
    const Status status = saved ? Status() : Status(saved.error());
    queue_.post(
        [this, done, status](StreamProcessor&) { asio::post(io_, [done, status] { done(status); }); });
  });
}

void Service::reload() {
  if (stopping_) return;
  notify_reloading();
  if (const Status status = reread(); !status)
    spdlog::error("SIGHUP: nothing was changed: {}", status.error().message);
  notify_ready("running");
}

Status Service::reread() {
  GLIMPSE_TRY_ASSIGN(auto changes, reread_configuration(arguments_, configuration_));
  if (const Status status = entrance_.reload(changes.configuration); !status)
    return placed(status.error(), changes.places);
  const std::size_t ended = stream_server_.tokens_changed();
  entrance_.connections().refused.revoked += ended;
  if (ended > 0)
    spdlog::warn("SIGHUP: stream connections closed, as their tokens were removed or may only read now: {}",
                 ended);
  for (const std::string& sentence : changes.overridden) spdlog::warn("SIGHUP: {}", sentence);
  configuration_ = std::move(changes.configuration);
  queue_.post([this, examples = configuration_.checkpoint_examples, clip = configuration_.clip,
               predict_as = configuration_.predict_as](StreamProcessor& processor) {
    processor.set_clip(clip);
    processor.set_predict_as(predict_as);
    checkpoint_schedule_.set_examples(examples, processor.learner().counts().examples);
  });
  if (checkpoints_) checkpoints_->set_rebuild(rebuild());
  checkpoint_desk_.set_share(configuration_.checkpoint_share);
  if (http_server_) http_server_->set_timeout(configuration_.http_timeout);
  if (http_server_) http_server_->set_request_limit(configuration_.max_requests);
  stream_server_.set_idle_timeout(configuration_.idle_timeout);
  stream_server_.set_greeting_timeout(configuration_.greeting_timeout);
  spdlog::set_level(spdlog::level::from_str(configuration_.log_level));
  if (prepared_.store) checkpoint_schedule_.set_time(configuration_.checkpoint_every);
  for (const std::string& name : changes.fixed)
    spdlog::warn("SIGHUP: {} cannot change while running; restart to apply it", name);
  const bool has_file = std::ranges::any_of(
      arguments_, [](const std::string& argument) { return argument.starts_with("--config"); });
  spdlog::info("SIGHUP: the configuration was read again{}",
               has_file
                   ? ""
                   : ": without --config FILE it is the command line, and only the files of --token-file, "
                     "--tls-cert and --tls-key can be new");
  return {};
}

void Service::input_ended(const std::shared_ptr<Door>& door, const Status& status) {
  const bool serves = configuration_.serve || configuration_.reads_standard_input;
  if (!status) input_failed(door, status.error().message);
  if (stopping_) return stop_when_inputs_ended();
  if (status && serves)
    spdlog::info("{} has ended; glimpsed goes on answering (--listen, --http)", door->name);
  if (!inputs_.all_ended()) return;
  inputs_have_ended_ = true;
  if (serves) return;
  ended_by_inputs_ = true;
  begin_stop("the input has ended", exit_status_);
}

void Service::input_gave_up(const std::shared_ptr<Door>& door, const std::string& name) {
  exit_status_ = 1;
  if_memory_allows("/readyz and metrics do not show that an input failed", [&] {
    input_failed(door, name +
                           ": not enough memory for a record; learning from it stopped there, and goes on "
                           "there when the same is given again");
  });
}

void Service::input_failed(const std::shared_ptr<Door>& door, const std::string& why) {
  exit_status_ = 1;
  spdlog::error("{}", why);
  if_memory_allows("/readyz and metrics do not show that an input failed",
                   [&] { queue_.post([door, why](StreamProcessor&) { door->failure = why; }); });
}

void Service::begin_stop(const std::string& why, int exit_status) {
  if (stopping_) return;
  stopping_ = true;
  exit_status_ = std::max(exit_status_, exit_status);
  spdlog::info("stopping: {}", why);
  notify_stopping();
  if (api_) api_->set_stopping();
  entrance_.connections().is_stopping = true;
  checkpoint_schedule_.stop();
  upkeep_.stop_expiring();
  checkpoint_desk_.stop();
  inputs_.stop();
  if (fleet_) fleet_->stop();
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
  if (fleet_) fleet_->join();
  const bool in_vain = exit_status_ != 0 && prepared_.processor->records() == records_at_start_;
  if (prepared_.store) {
    worker_.join();  // a checkpoint that is being written
    const Status saved = in_vain ? Status() : checkpointer_.save_now(*prepared_.processor);
    if (!saved) {
      exit_status_ = 1;
      spdlog::error("the last checkpoint failed, so that what was learned since {} is lost: {}",
                    checkpointer_.status().name.empty() ? "the start" : checkpointer_.status().name,
                    saved.error().message);
    }
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

// A run whose inputs taught nothing has failed. A server has where all that it was given was refused.
void Service::check_for_success() {
  const Statistics statistics = trainer_->statistics();
  const std::string why = why_nothing_was_learned(statistics);
  std::uint64_t refused = 0;
  std::uint64_t predicted = 0;
  for (const Door& door : statistics.doors) {
    refused += door.parse_errors;
    predicted += door.predictions;
    const bool is_refused = door.parse_errors > 0 && door.examples + door.predictions + door.frozen == 0;
    if (!why.empty() || !ended_by_inputs_ || !is_refused) continue;
    spdlog::error("{}: nothing of it was learned: all of its records were refused", door.name);
    exit_status_ = 1;
  }
  const bool was_refused = refused > 0 && predicted == 0;
  const bool has_failed = ended_by_inputs_ || (inputs_have_ended_ && was_refused);
  if (!why.empty() && has_failed) spdlog::error("nothing was learned: {}", why);
  if (!why.empty() && !has_failed && was_refused) spdlog::warn("nothing was learned: {}", why);
  if (!why.empty() && has_failed) exit_status_ = 1;
  if (ended_by_inputs_ && statistics.diverged_for_good) exit_status_ = 1;
  if (!inputs_have_ended_ || !named_input_ || named_input_->records >= named_input_->source->records) return;
  exit_status_ = 1;
  spdlog::error(
      "stdin: has {} records, but {} of source '{}' were received before: it was cut short, or is another "
      "stream, which needs another name (--stdin-source)",
      named_input_->records, named_input_->source->records, named_input_->source->name);
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
    spdlog::warn("predictions were dropped, as nobody read them from standard output: {}", lines);
  if (const std::size_t lines = replies_.lost(); lines > 0) {
    exit_status_ = 1;
    spdlog::error("{} prediction{} lost, as standard output could not be written", lines,
                  lines == 1 ? " was" : "s were");
  }
  stream_server_.abort();
  if (http_server_) http_server_->stop();
  log_.reset();  // what it left out is told before the end
  check_for_success();
  log_summary(trainer_->statistics(), checkpointer_.status(), configuration_.learner.step);
  io_.stop();
}

// The HTTP API of the service, of the newest model and of checkpoints, and how it reads bodies.

CheckpointModels::Rebuild Service::rebuild() const {
  return [make = prepared_.rebuild, options = std::make_shared<const Configuration>(configuration_)](
             const State& state) { return make(*options, state); };
}

void Service::open_api() {
  HttpApi::Parts parts{
      io_,
      renderer_,
      jobs_,
      queue_,
      *trainer_,
      solver_.get(),
      checkpointer_,
      entrance_.connections(),
      [this](StreamProcessor&, const BodyReading& body) { return make_feed(http_door_, body); },
      http_door_,
      configuration_.plan_ttl,
      configuration_.learner.labels};
  const auto& form = prepared_.processor->schema().form.table;
  parts.columns = columns_json(configuration_.table, form ? &*form : nullptr);
  parts.promoted = [this](StreamProcessor& processor) {
    log_->note_promoted();
    checkpoint_schedule_.note_promoted(processor.learner().counts().examples);
  };
  parts.rebuild = [this] { return rebuild(); };
  if (configuration_.page) page_ = std::make_unique<Page>();
  parts.page = page_.get();
  parts.grid = configuration_.grid;
  parts.limits = [this] {
    return ReportedLimits{configuration_.queue_bytes, configuration_.max_plans, configuration_.max_sources,
                          std::chrono::duration<double>(configuration_.checkpoint_every).count()};
  };
  if (fleet_) {
    parts.rebuild = {};
    parts.fleet = [this] { return fleet_->facts(); };
    parts.fleet_model = [this] { return fleet_->model(); };
    parts.fleet_work = [this](FleetPlanApi::Work work) { fleet_->post(std::move(work)); };
  }
  if (prepared_.store) {
    checkpoints_ = std::make_unique<CheckpointModels>(
        parts, CheckpointFolder(*prepared_.files, configuration_.state_directory), rebuild(),
        [this](StreamProcessor& processor, const std::shared_ptr<Door>& door, const BodyReading& body) {
          return make_feed(processor, door, body);
        },
        CheckpointModels::Limits{configuration_.max_compared, configuration_.compared_bytes,
                                 most_restored_bytes()});
    parts.checkpoints = checkpoints_.get();
  }
  api_ = std::make_unique<HttpApi>(std::move(parts));
}

// What the service learns from beside its doors: files, standard input, topics, and a fleet's partitions.

namespace {

// The name under which the checkpoint knows what `source` holds, where its file has another name now: there
// is no such file any more, or another one. Empty: there is none.
std::string former_name(const InputSource& source, const std::vector<InputProgress::Reached>& known) {
  std::string name;
  for (const InputProgress::Reached& one : known) {
    if (!source.was_read(one.position, one.fingerprint)) continue;
    if (one.name == source.address()) return {};
    const auto there = InputSource::open(one.name);
    if (!there || !(*there)->was_read(one.position, one.fingerprint)) name = one.name;
  }
  return name;
}

}  // namespace

// A file that was renamed, as by logrotate, goes on where it was.
void Service::find_renamed_inputs() {
  InputProgress& progress = prepared_.processor->input_progress();
  std::map<std::string, std::string> names;
  for (const auto& source : prepared_.inputs.files)
    if (const std::string before = former_name(*source, progress.reached()); !before.empty()) {
      spdlog::info("{}: is the file that was read as {}", source->name(), before);
      names.emplace(before, source->address());
    }
  progress.rename(names);
}

Status Service::open_inputs() {
  inputs_.set_events(
      {[this](const std::shared_ptr<Door>& door, const Status& status) { input_ended(door, status); },
       [this](const std::shared_ptr<Door>& door, const std::string& name) { input_gave_up(door, name); }});
  for (const auto& topic : prepared_.inputs.topics) open_topic(*topic);
  for (const auto& [path, error] : prepared_.inputs.missing)
    failed_inputs_.emplace_back(add_door(path, "file"), error);
  find_renamed_inputs();
  prepared_.inputs.sampled.resize(prepared_.inputs.files.size());
  std::optional<TableForm> table = prepared_.processor->schema().form.table;
  for (const auto& sampled : prepared_.inputs.sampled)
    if (!table && sampled) table = sampled->table;
  if (table) table_form_ = std::make_shared<const TableForm>(*table);
  for (std::size_t i = 0; i < prepared_.inputs.files.size(); ++i) {
    std::unique_ptr<InputSource>& source = prepared_.inputs.files[i];
    std::optional<RecordForm> sampled = prepared_.inputs.sampled[i];
    if (const auto known = prepared_.processor->input_progress().schema_of(source->address()); known)
      sampled = known->form;
    else if (!sampled && (source->is_regular() || configuration_.decided))
      sampled = sample_form(configuration_, *source, table);
    const std::string path = source->is_standard() ? "-" : source->name();
    source->set_ends(configuration_.waits_for_line_end, configuration_.serve,
                     !configuration_.stdin_source.empty());
    const auto door = add_door(source->name(), source->is_standard() ? "stdin" : "file");
    auto feed = make_feed(door, {configuration_.format, {}}, source->address(), sampled);
    Status status = source->resume(*feed, schema_of(configuration_), configuration_.allows_schema_change);
    if (!status && status.error().code == ErrorCode::kMismatch) return status;
    if (!status && status.error().code == ErrorCode::kCorrupt && configuration_.reads_replaced) {
      spdlog::warn("{}; it is read from its beginning (--replaced-input read)", status.error().message);
      feed->position = feed->records = feed->records_before = feed->known_fingerprint = 0;
      feed->fingerprint = {};
      feed->first_question = {};
      feed->is_begun = false;
      feed->beginning = {};
      status = {};
    }
    if (!status) {
      prepared_.processor->input_progress().close(source->address());
      failed_inputs_.emplace_back(door, status);
      continue;
    }
    if (source->reads_on())
      feed->begin_table = [this](Feed& next) {
        const auto made = make_feed(next.door, {started_.format, {}});
        next.reader = std::move(made->reader);
        next.inner_reader = made->inner_reader;
        next.decide = made->decide;
      };
    if (feed->first_question.position < feed->position && configuration_.replies != Replies::kNone) {
      feed->again = make_feed(door, {configuration_.format, {}}, {}, sampled);
      feed->again->only_answers = true;
      feed->again->goes_on = feed;
      feed->again->position = feed->first_question.position;
      feed->again->records = feed->first_question.records;
      source->show_beginning(*feed->again);
    }
    prepared_.processor->names().take_back();  // what the look at the beginning brought was no record's
    if (source->is_standard() && !configuration_.stdin_source.empty()) {
      const std::string& name = configuration_.stdin_source;
      if (const Status opened = prepared_.processor->open_source(feed, name, 0); !opened)
        return failure(opened.error().code, "--stdin-source {}: {}", name, opened.error().message);
      spdlog::info("stdin: source '{}': the first {} records were received before", name,
                   feed->source->records);
      named_input_ = feed;
    }
    if (feed->position > 0)
      spdlog::info("{}: resuming at byte {}, after {} records", path, feed->position, feed->records);
    if (feed->again)
      spdlog::info("{}: records without a label before that are answered again, from line {} on", path,
                   feed->again->records + 1);
    const bool can_resume = prepared_.store && (feed->source || source->is_regular());
    GLIMPSE_TRY(inputs_.add(std::move(source), std::move(feed), can_resume));
  }
  const bool is_all = inputs_.empty() && !configuration_.serve;
  return is_all && !failed_inputs_.empty() ? failed_inputs_.front().second : Status();
}

Status Service::open_fleet() {
  if (configuration_.fleet.group.empty()) return {};
  FleetModel::Parts parts{queue_, *trainer_, solver_.get(),
                          [rebuild = rebuild()](const State& state) { return rebuild(state); },
                          [this](StreamProcessor&) { log_->note_promoted(); }};
  auto fleet =
      FleetRuntime::open(configuration_, *prepared_.files, std::move(parts), [this](const Error& error) {
        asio::post(io_, [this, message = error.message] {
          spdlog::error("the fleet cannot go on: {}", message);
          begin_stop("the fleet", 1);
        });
      });
  if (!fleet) return fleet.error();
  fleet_ = std::move(*fleet);
  return {};
}

// Where the others are told that this one answers: its first TCP door of HTTP, with the machine's name where
// that is open to every address of it; the machine's name where there is none.
std::string Service::fleet_address() const {
  if (!configuration_.fleet.address.empty()) return configuration_.fleet.address;
  std::array<char, 256> name{};
  const std::string machine =
      ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
  constexpr std::string_view kTcp = "tcp:";
  for (const std::string& address : http_server_ ? http_server_->addresses() : std::vector<std::string>()) {
    if (!address.starts_with(kTcp)) continue;
    const std::size_t colon = address.rfind(':');
    const std::string host = address.substr(kTcp.size(), colon - kTcp.size());
    const bool is_any = host == "0.0.0.0" || host == "::" || host == "[::]" || host == "*";
    return fmt::format("{}://{}{}", configuration_.tls_certificate.empty() ? "http" : "https",
                       is_any                                                       ? machine
                       : host.find(':') != std::string::npos && host.front() != '[' ? '[' + host + ']'
                                                                                    : host,
                       address.substr(colon));
  }
  return machine;
}

// Its partitions are asked for when it is read, as brokers may be gone for a while.
void Service::open_topic(Topic& topic) {
  const auto door = add_door(name_of(topic), "kafka");
  const auto progress = std::make_shared<TopicProgress>();
  door->topic = progress;
  const std::optional<RecordForm>& of_topics = prepared_.inputs.of_topics;
  std::optional<RecordForm> sampled = of_topics ? of_topics : prepared_.processor->schema().form;
  if (configuration_.decided && sampled->header == HeaderChoice::kYes)
    sampled->header = HeaderChoice::kAuto;  // of each partition on its own
  const auto make = [this, door, sampled](StreamProcessor& processor, const std::string& name,
                                          Format format) -> Result<std::shared_ptr<Feed>> {
    auto feed = make_feed_of(started_, processor, door, {format, {}}, name, sampled);
    feed->in_messages = true;
    GLIMPSE_TRY(processor.open_source(feed, name, feed->records));
    if (feed->position > 0)
      spdlog::info("{}: resuming at offset {}, after {} records", name, feed->position,
                   feed->source->records);
    feed->gave_up = [this, door, name, post = std::make_shared<PreparedPost>()] {
      (*post)(io_, [this, door, name] { input_gave_up(door, name); });
    };
    return feed;
  };
  inputs_.add(read_topic(topic, configuration_, sampled, queue_, replies_, progress, make,
                         inputs_.end_of_running(door)));
}

}  // namespace glimpse
