#include "daemon/group/fleet_worker.h"

#include <algorithm>
#include <array>
#include <exception>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <spdlog/spdlog.h>
#include <utility>

#include "daemon/group/state_writer.h"
#include "daemon/kafka/kafka_producer.h"
#include "daemon/support/memory_trouble.h"

namespace glimpse {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kAnswer = 5s;   // of brokers that are there
constexpr std::chrono::milliseconds kIdle = 50ms;   // between looks at what else is to be done
constexpr std::chrono::milliseconds kAgain = 1s;    // until what failed is tried again
constexpr std::chrono::milliseconds kLook = 200ms;  // of brokers that may be gone
constexpr std::chrono::milliseconds kMissed = 5s;   // a topic, until it is told to be deleted
constexpr std::size_t kTogether = 2000;             // messages between such looks

// "0:1200 1:1180 3:1210", without partitions that had no say; the first of many.
std::string text_of_positions(const FleetCut& cut) {
  constexpr std::size_t kMostTold = 64;
  std::string text;
  for (std::size_t p = 0; p < std::min(cut.decided_at.size(), kMostTold); ++p)
    if (cut.decided_at[p]) text += fmt::format("{}{}:{}", text.empty() ? "" : " ", p, *cut.decided_at[p]);
  return cut.decided_at.size() > kMostTold ? text + " …" : text;
}

// Where the beginning is read, a message that cannot be is one of a topic that was just made, or is gone:
// both are read again.
bool is_amiss(const std::optional<KafkaMessage>& message) {
  return message && (message->kind() == KafkaMessage::Kind::kFailed ||
                     message->kind() == KafkaMessage::Kind::kOutOfRange);
}

// What passes by itself.
bool is_passing(const Error& error) { return error.code == ErrorCode::kUnavailable; }

}  // namespace

FleetWorker::FleetWorker(Settings settings, Hooks hooks)
    : settings_(std::move(settings)), hooks_(std::move(hooks)) {
  report_.group = settings_.group.group;
  report_.topic = settings_.group.address.topic;
  report_.state_topic = settings_.states.topic;
}

FleetWorker::~FleetWorker() {
  stop();
  join();
}

void FleetWorker::start(std::string owner) {
  owner_ = std::move(owner);
  thread_ = std::thread([this] {
    run();
    end_posted();
  });
}

void FleetWorker::post(Work work) {
  {
    const std::lock_guard lock(posted_mutex_);
    if (takes_posted_) {
      posted_.push_back(std::move(work));
      if (polled_ != nullptr) polled_->wake();
      return;
    }
  }
  work(nullptr);
}

void FleetWorker::run_posted() {
  std::vector<Work> posted;
  {
    const std::lock_guard lock(posted_mutex_);
    posted.swap(posted_);
  }
  // One that is given up is destroyed, and what it holds then tells the client.
  for (const Work& work : posted) if_memory_allows("a request was refused", [&] { work(member_.get()); });
}

// What waits now and what comes later is told that there is no member.
void FleetWorker::end_posted() {
  {
    const std::lock_guard lock(posted_mutex_);
    takes_posted_ = false;
    polled_ = nullptr;
  }
  member_.reset();
  run_posted();
}

void FleetWorker::join() {
  if (thread_.joinable()) thread_.join();
}

FleetReport FleetWorker::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

void FleetWorker::run() try {
  for (;;) {
    const Status status = reach_topics();
    if (status) break;
    if (stopping_) return;
    if (!is_passing(status.error())) return hooks_.failed(status.error());
    if (told_trouble_ != status.error().message)
      spdlog::warn("fleet: waits for the brokers at {}: {}", settings_.group.address.brokers,
                   status.error().message);
    told_trouble_ = status.error().message;
    publish();
    for (auto waited = 0ms; waited < kAgain && !stopping_; waited += kIdle) {
      run_posted();
      std::this_thread::sleep_for(kIdle);
    }
    if (stopping_) return;
  }
  if (!told_trouble_.empty()) spdlog::info("fleet: the brokers answer");
  told_trouble_.clear();
  work();
} catch (const std::exception& error) {
  hooks_.failed(failure(ErrorCode::kSystem, "fleet: {}", error.what()));
}

Status FleetWorker::reach_topics() {
  GLIMPSE_TRY_ASSIGN(auto input,
                     KafkaConsumer::open(settings_.option, settings_.group.address, settings_.properties));
  GLIMPSE_TRY_ASSIGN(const auto count, input->partitions(kAnswer));
  partitions_ = static_cast<std::uint32_t>(count);
  GLIMPSE_TRY(
      ensure_state_topic(settings_.option, settings_.states, partitions_, settings_.properties, kAnswer));
  GLIMPSE_TRY_ASSIGN(auto extents,
                     ExtentsClient::open(settings_.option,
                                         {settings_.group.address, settings_.states, settings_.group.group},
                                         settings_.properties));
  if (hooks_.sample) GLIMPSE_TRY(agree(*input, *extents));
  KafkaGroup::Events events{
      .assigned =
          [this](std::span<const std::uint32_t> given) {
            if (!member_) return;  // the group is left as all of this goes down
            ++assignments_;
            spdlog::info("fleet: learns from {} of {} partitions", given.size(), partitions_);
            member_->assigned(given);
          },
      .revoked =
          [this](std::span<const std::uint32_t> taken) {
            if (member_) member_->revoked(taken);
          },
      .lost =
          [this](std::span<const std::uint32_t> taken) {
            if (!member_) return;
            // While the brokers are gone that has been told, and nobody else has them.
            if (told_trouble_.empty())
              spdlog::warn(
                  "fleet: the brokers received nothing from this instance for longer than --fleet-session: "
                  "its {} "
                  "partitions go to other instances, which learn again what this one had not committed",
                  taken.size());
            member_->lost(taken);
          }};
  GLIMPSE_TRY_ASSIGN(auto group, KafkaGroup::open(settings_.option, settings_.group, settings_.properties,
                                                  std::move(events)));
  GLIMPSE_TRY_ASSIGN(states_, KafkaConsumer::open(settings_.option, settings_.states, settings_.properties));
  std::vector<KafkaPosition> positions;
  for (std::uint32_t p = 0; p < partitions_; ++p) positions.push_back({static_cast<std::int32_t>(p)});
  GLIMPSE_TRY(states_->assign(positions));
  group_ = std::move(group);
  link_ = std::make_unique<GroupLink>(
      *group_, std::move(extents),
      GroupLink::Settings{settings_.group.address, settings_.states, settings_.group.group, owner_,
                          settings_.option, settings_.properties});
  owners_.resize(partitions_);
  commit_at_.assign(partitions_, Clock::now() + settings_.commit_every);
  hooks_.begun(partitions_);
  member_ = std::make_unique<FleetMember>(
      *link_,
      FleetMember::Options{settings_.group.address.topic, settings_.group.group, settings_.states.topic,
                           partitions_, settings_.most_state_bytes, settings_.chunk_bytes, settings_.folder,
                           settings_.watches_drift, settings_.learning},
      FleetMember::Hooks{.open = hooks_.open,
                         .found = hooks_.found,
                         .cut =
                             [](const FleetCut& cut) {
                               spdlog::warn(
                                   "fleet: the stream has changed: the mean squared error rose from {:.4g} "
                                   "to {:.4g}; all partitions forget what they learned before (--drift auto; "
                                   "cut {}, decided from partitions at {})",
                                   std::max(cut.rise.before, 0.0), cut.rise.after, cut.rise.number,
                                   text_of_positions(cut));
                             },
                         .corrupt =
                             [this](const Error& error) {
                               ++corrupt_;
                               spdlog::error("topic of states '{}': {}; the state before it is used",
                                             settings_.states.topic, error.message);
                             }});
  return group_->join();
}

// The first decision in the topic of states, by its offset, holds for all instances and all time: each has a
// key of its own, so that compaction keeps it. An instance that finds none decides by a sample and writes
// that, and takes the first all the same: another instance may have been quicker. A group that has learned
// without one, as with an earlier build, has none.
Status FleetWorker::agree(KafkaConsumer& input, const ExtentsClient& extents) {
  std::vector<std::uint32_t> all(partitions_);
  std::iota(all.begin(), all.end(), 0U);
  // Before the topic is read: a decision is written before what is learned by it.
  const auto learned = extents.ask(all, kAnswer);
  // A topic of states that was just made may not have come around yet: "not there" passes as well.
  if (!learned) return failure(ErrorCode::kUnavailable, "{}", learned.error().message);
  GLIMPSE_TRY_ASSIGN(const auto states,
                     KafkaConsumer::open(settings_.option, settings_.states, settings_.properties));
  GLIMPSE_TRY(states->assign(std::array{KafkaPosition{0}}));
  for (bool is_written = false;;) {
    const auto message = states->poll(kIdle);
    if (stopping_ || (!message && states->trouble()) ||
        std::ranges::any_of(*learned, [](const auto& extent) { return !extent; }))
      return failure(ErrorCode::kUnavailable, "{}", states->trouble().value_or("a partition has no leader"));
    if (!message) continue;
    if (is_amiss(message)) return failure(ErrorCode::kUnavailable, "{}", message->why());
    if (message->kind() == KafkaMessage::Kind::kRecord && message->key().starts_with(kSchemaKey))
      return hooks_.decided(std::string(message->value()));
    if (message->kind() != KafkaMessage::Kind::kEnd || is_written) continue;
    if (std::ranges::any_of(*learned, [](const auto& extent) { return extent->learned_to.has_value(); }))
      return {};
    GLIMPSE_TRY_ASSIGN(const std::string text, take_sample(input));
    GLIMPSE_TRY_ASSIGN(const auto producer,
                       KafkaProducer::open(settings_.option, settings_.states, settings_.properties));
    std::random_device random;
    Status sent =
        producer->send(text, 0, kAnswer, fmt::format("{}{:08x}{:08x}", kSchemaKey, random(), random()));
    if (sent) sent = producer->flush(kAnswer);
    if (!sent) return failure(ErrorCode::kUnavailable, "{}", sent.error().message);
    is_written = true;
  }
}

// Of all partitions together. Who asks for a plan or tells one ends it, and does not wait for messages.
Result<std::string> FleetWorker::take_sample(KafkaConsumer& input) {
  std::vector<KafkaPosition> positions;
  for (std::uint32_t p = 0; p < partitions_; ++p) positions.push_back({static_cast<std::int32_t>(p)});
  GLIMPSE_TRY(input.assign(positions));
  std::string lines;
  std::vector<bool> are_at_end(partitions_);
  for (;;) {
    const auto message = input.poll(kIdle);
    if (stopping_ || (!message && input.trouble()))
      return failure(ErrorCode::kUnavailable, "{}", input.trouble().value_or("it ends"));
    if (is_amiss(message)) return failure(ErrorCode::kUnavailable, "{}", message->why());
    const bool is_record = message && message->kind() == KafkaMessage::Kind::kRecord;
    const bool is_end = message && message->kind() == KafkaMessage::Kind::kEnd;
    if (is_record || is_end) are_at_end[static_cast<std::size_t>(message->partition())] = is_end;
    if (is_record) lines += message->value();
    if (is_record && !lines.ends_with('\n')) lines += '\n';
    const bool is_asked = [this] {
      const std::lock_guard lock(posted_mutex_);
      return !posted_.empty();
    }();
    const bool is_whole = is_asked || (!lines.empty() && std::ranges::count(are_at_end, false) == 0);
    if (!is_whole && !is_record) continue;
    if (auto decided = hooks_.sample(lines, is_whole)) return std::move(*decided);
  }
}

void FleetWorker::work() {
  {
    const std::lock_guard lock(posted_mutex_);
    polled_ = group_.get();
  }
  while (!stopping_) {
    (void)read_states();
    (void)read_input();
    (void)member_->turn();
    (void)link_->read_started(*member_);  // where it cannot be now, the next turn tries again
    if (member_->refusal()) refused_ = member_->refusal();
    if (refused_) break;
    run_posted();
    commit_what_is_due();
    look_at_brokers();
    tell_of_trouble();
    publish();
  }
  // The coordinator takes the partitions away, and what was learned is committed.
  group_->leave();
  publish();
  if (refused_) hooks_.failed(*refused_);
}

bool FleetWorker::read_states() {
  bool any = false;
  for (std::size_t count = 0; count < kTogether; ++count) {
    const auto message = states_->poll(0ms);
    if (!message) break;
    const auto partition = message->partition();
    switch (message->kind()) {
      case KafkaMessage::Kind::kRecord:
      case KafkaMessage::Kind::kTombstone:
        any = true;
        if (const std::string_view owner = message->header(kOwnerHeader); !owner.empty())
          owners_[static_cast<std::size_t>(partition)] = owner;
        if (!message->key().ends_with(kOwnerKeyEnd) && !message->key().starts_with(kSchemaKey))
          member_->state_message(message->key(), message->header(kStateHeader), message->value());
        member_->state_read(static_cast<std::uint32_t>(partition),
                            static_cast<std::uint64_t>(message->offset()) + 1);
        break;
      case KafkaMessage::Kind::kEnd:
        member_->state_read(static_cast<std::uint32_t>(partition),
                            static_cast<std::uint64_t>(message->offset()));
        member_->states_at_end(static_cast<std::uint32_t>(partition));
        break;
      case KafkaMessage::Kind::kOutOfRange:
        refused_ =
            failure(ErrorCode::kCorrupt,
                    "the topic of states '{}' was made again or cut while this instance ran: {}; start "
                    "it again",
                    settings_.states.topic, message->why());
        break;
      case KafkaMessage::Kind::kFailed:
        break;
    }
  }
  return any;
}

std::optional<KafkaMessage> FleetWorker::await_message() {
  if (auto message = group_->poll(kUntilAsked)) {
    hastened_ = 0;
    return message;
  }
  const auto now = Clock::now();
  if (now >= next_hastening_ && told_trouble_.empty() && hastened_ < kMostHastened)
    for (std::uint32_t p = 0; p < partitions_; ++p)
      if (const OwnedPartition* const owned = member_->owned(p);
          owned != nullptr && has_more(group_->known_end(static_cast<std::int32_t>(p)),
                                       static_cast<std::int64_t>(owned->next_offset()))) {
        (void)group_->partitions(kUntilAsked);
        next_hastening_ = now + kAskedAgain;
        ++hastened_;
        break;
      }
  return group_->poll(kIdle);
}

bool FleetWorker::read_input() {
  std::size_t count = 0;
  for (; count < kTogether; ++count) {
    const auto message = count == 0 ? await_message() : group_->poll(0ms);
    if (!message) break;
    const auto partition = static_cast<std::uint32_t>(message->partition());
    switch (message->kind()) {
      case KafkaMessage::Kind::kRecord:
        member_->message(partition, static_cast<std::uint64_t>(message->offset()), message->value());
        break;
      case KafkaMessage::Kind::kTombstone:
        member_->message(partition, static_cast<std::uint64_t>(message->offset()), std::nullopt);
        break;
      case KafkaMessage::Kind::kOutOfRange:
        refused_ = failure(
            ErrorCode::kMismatch,
            "topic '{}': partition {} does not have the message that is to be learned next: {}. It was "
            "deleted before it was learned, or the topic was made again. Name another group, which starts "
            "from nothing",
            settings_.group.address.topic, message->partition(), message->why());
        return true;
      case KafkaMessage::Kind::kEnd:
        break;
      case KafkaMessage::Kind::kFailed:
        may_be_missing_ = true;
        break;
    }
  }
  member_->work_off();
  return count > 0;
}

void FleetWorker::commit_what_is_due() {
  const auto begun = Clock::now();
  const bool may_hurry = begun >= awaited_at_;
  bool hurried = false;
  bool all = true;
  for (std::uint32_t p = 0; p < partitions_ && !stopping_; ++p) {
    const bool hurries = may_hurry && member_->is_awaited(p);
    if (!hurries && begun < commit_at_[p]) continue;
    const bool done = member_->commit(p);
    if (!done && !link_->trouble().empty()) {
      // Brokers that do not answer would be waited for with each partition.
      for (Clock::time_point& at : commit_at_) at = std::max(at, Clock::now() + kAgain);
      awaited_at_ = Clock::now() + kAgain;
      return;
    }
    commit_at_[p] = Clock::now() + (done ? settings_.commit_every : kAgain);
    hurried = hurried || hurries;
    all = all && done;
  }
  // States that clients wait for take half of the time at most.
  if (hurried) awaited_at_ = Clock::now() + (all ? Clock::now() - begun : Clock::duration(kAgain));
}

// Only a message clears a client's trouble, and an idle topic has none: so the brokers are asked. A message
// that fails may mean that the topic was deleted.
void FleetWorker::look_at_brokers() {
  const auto now = Clock::now();
  if (now < next_look_ || (!may_be_missing_ && !group_->trouble() && !states_->trouble())) return;
  next_look_ = now + kAgain;
  const auto count = group_->partitions(kLook);
  const bool is_missing = !count && count.error().code == ErrorCode::kNotFound;
  if (count) group_->forget_trouble();
  if (count || is_missing) may_be_missing_ = is_missing;
  if (!is_missing) {
    missed_since_.reset();
  } else if (!missed_since_) {
    missed_since_ = now;
  } else if (now - *missed_since_ >= kMissed) {
    refused_ = failure(
        ErrorCode::kNotFound,
        "topic '{}' is not on the brokers at {} any more: it was deleted. What was learned and committed is "
        "in the topic of states '{}'. If it is made again, name another group, which starts from nothing",
        settings_.group.address.topic, settings_.group.address.brokers, settings_.states.topic);
  }
  if (states_->trouble() && states_->partitions(kLook)) states_->forget_trouble();
}

// Once for each that comes up, and when all is well again.
void FleetWorker::tell_of_trouble() {
  std::string trouble = group_->trouble()    ? *group_->trouble()
                        : states_->trouble() ? *states_->trouble()
                                             : link_->trouble();
  const bool is_of_folder = trouble.empty();
  if (is_of_folder) trouble = member_->folder_trouble();
  if (trouble.empty() == told_trouble_.empty()) return;
  told_trouble_ = trouble;
  if (trouble.empty())
    spdlog::info("fleet: goes on learning");
  else if (is_of_folder)
    spdlog::warn(
        "fleet: --fleet-state-folder: {}; learning goes on, and what is not committed is learned again after "
        "this instance",
        trouble);
  else
    spdlog::warn("fleet: learning waits for the brokers at {}: {}; queries are answered",
                 settings_.group.address.brokers, trouble);
}

// What a worker of a fleet tells of itself.

void FleetWorker::publish() {
  FleetReport report;
  report.group = settings_.group.group;
  report.topic = settings_.group.address.topic;
  report.state_topic = settings_.states.topic;
  report.trouble = told_trouble_;
  if (member_) {
    report.member = group_->member();
    report.counts = member_->counts();
    report.corrupt = corrupt_;
    report.assignments = assignments_;
    if (member_->drift().newest() != nullptr) report.cut = *member_->drift().newest();
    for (std::uint32_t p = 0; p < partitions_; ++p) {
      PartitionReport& partition = report.partitions.emplace_back();
      partition.phase = member_->phase(p);
      partition.newest = member_->newest_version(p);
      partition.owner = owners_[p];
      partition.cut = member_->drift().applied(p);
      partition.refused = member_->refused(p);
      partition.oversized = member_->oversized(p);
      if (const auto end = group_->known_end(static_cast<std::int32_t>(p)))
        partition.end = static_cast<std::uint64_t>(*end);
      if (OwnedPartition* const owned = member_->owned(p); owned != nullptr) {
        partition.offset = owned->next_offset();
        partition.owner = owner_;
        partition.open_plans = owned->processor().plans().open();
        partition.examples = owned->processor().learner().counts().examples;
      }
    }
  }
  const std::lock_guard lock(mutex_);
  report_ = std::move(report);
}

}  // namespace glimpse
