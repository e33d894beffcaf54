#include "daemon/topics/topic_input.h"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <new>
#include <spdlog/spdlog.h>
#include <string>
#include <utility>
#include <vector>

#include "daemon/support/memory_trouble.h"

namespace glimpse {

namespace {
constexpr std::chrono::milliseconds kLookAnswer{2000};
constexpr std::chrono::milliseconds kQuietInterval{1000};  // until it is said what is waited for

Result<std::int32_t> await_partitions(const KafkaConsumer& consumer) {
  for (bool is_told = false;;) {
    auto count = consumer.partitions(kLookAnswer);
    if (count || count.error().code != ErrorCode::kUnavailable) return count;
    if (!std::exchange(is_told, true)) spdlog::info("{}; waiting for the brokers", count.error().message);
  }
}
}  // namespace

Status look_at_topic(KafkaConsumer& consumer, std::size_t most, const EnoughMessages& enough) {
  GLIMPSE_TRY_ASSIGN(const auto count, await_partitions(consumer));
  std::vector<KafkaPosition> positions;
  for (std::int32_t number = 0; number < count; ++number) positions.push_back({number});
  GLIMPSE_TRY(consumer.assign(positions));
  std::vector<std::string> lines(positions.size());
  for (bool is_told = false;;) {
    const auto message = consumer.poll(kQuietInterval);
    if (!message) {
      if (!std::exchange(is_told, true))
        spdlog::info("kafka:{}: waiting for its first messages, which show the attributes",
                     consumer.address().topic);
      continue;
    }
    const bool is_end = message->kind() == KafkaMessage::Kind::kEnd;
    if (message->kind() != KafkaMessage::Kind::kRecord && !is_end) continue;
    std::string& of_partition = lines[static_cast<std::size_t>(message->partition())];
    if (!is_end) of_partition += message->value();
    if (!of_partition.empty() && !of_partition.ends_with('\n')) of_partition += '\n';
    GLIMPSE_TRY_ASSIGN(const auto fine, enough(of_partition, is_end));
    if (fine) return {};
    if (of_partition.size() >= most)
      return failure(ErrorCode::kInvalidInput,
                     "the first {} bytes of partition {} do not tell the attributes", of_partition.size(),
                     message->partition());
  }
}

using namespace std::chrono_literals;

namespace {
constexpr std::size_t kBatchBytes = std::size_t{256} << 10;  // over all partitions
constexpr std::size_t kTopicBuffers = 8;
constexpr std::size_t kPendingMessages = 4096;  // over all partitions: without bytes they count too
constexpr std::chrono::milliseconds kIdleInterval{100};
// To pause throws away what the client has fetched ahead, so a queue that is full for a moment is waited for.
constexpr std::chrono::milliseconds kUntilPause{1000};
constexpr std::chrono::milliseconds kBrokersAnswer{2000};  // of the brokers
constexpr std::chrono::seconds kPartitionsInterval{60};    // for partitions that were added
constexpr std::chrono::seconds kLookInTrouble{1};
constexpr std::chrono::milliseconds kEndsInterval{500};  // between two looks at how far partitions reach
}  // namespace

TopicInput::TopicInput(std::unique_ptr<KafkaConsumer> consumer, Options options, BlockQueue& queue,
                       ReplyWriter& replies, std::shared_ptr<TopicProgress> progress, Hooks hooks)
    : consumer_(std::move(consumer)),
      options_(options),
      queue_(queue),
      replies_(replies),
      progress_(std::move(progress)),
      hooks_(std::move(hooks)),
      pool_(kBatchBytes + kBatchBytes / 4, kTopicBuffers) {}

TopicInput::~TopicInput() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void TopicInput::start() {
  thread_ = std::thread([this] { run(); });
}

void TopicInput::stop() {
  stopping_ = true;
  replies_.wake();
}

void TopicInput::run() {
  Status status;
  try {
    status = read_all();
  } catch (const std::bad_alloc&) {
    note_memory_trouble("reading a topic ended");
    status = Error{ErrorCode::kUnavailable, "no memory"};  // so short that it takes none
    if_memory_allows("the reason of an input's error was shortened", [&] {
      status =
          failure(ErrorCode::kUnavailable, "{}: not enough memory to read on; reading stopped there", name());
    });
  } catch (const std::future_error&) {
    // The trainer has ended, and with it what it was asked for.
  }
  hooks_.ended(std::move(status));
}

std::string TopicInput::place() const {
  return fmt::format("--input kafka://{}/{}", consumer_->address().brokers, consumer_->address().topic);
}

Status TopicInput::read_all() {
  GLIMPSE_TRY(open_partitions());
  next_look_ = Clock::now() + kPartitionsInterval;
  while (!stopping_) {
    const auto message = next_message();
    if (message) {
      GLIMPSE_TRY(take(*message));
      if (pending_bytes_ < kBatchBytes && !(has_pending_ && message->kind() == KafkaMessage::Kind::kEnd))
        continue;
    }
    push_all();
    note_ends();
    GLIMPSE_TRY(watch());
  }
  push_all();
  return {};
}

// Waits for the brokers, however long that takes.
Status TopicInput::open_partitions() {
  while (!stopping_) {
    const auto count = consumer_->partitions(kBrokersAnswer);
    if (!count && count.error().code != ErrorCode::kUnavailable)
      return failure(count.error().code, "{}: {}", place(), count.error().message);
    if (!count) {
      note_trouble(count.error().message);
      continue;
    }
    const Status status = add_partitions(*count);
    note_recovered();
    return status;
  }
  return {};
}

// Up to `count`, and begins to read.
Status TopicInput::add_partitions(std::int32_t count) {
  const auto first = static_cast<std::int32_t>(partitions_.size());
  using Feeds = Result<std::vector<std::shared_ptr<Feed>>>;
  auto promise = std::make_shared<std::promise<Feeds>>();
  auto made = promise->get_future();
  queue_.post([promise = std::move(promise), make = hooks_.make_feeds, first, count](StreamProcessor& p) {
    promise->set_value(make(p, first, count));
  });
  while (made.wait_for(kIdleInterval) != std::future_status::ready)
    if (stopping_) return {};
  auto feeds = made.get();
  if (!feeds) return failure(feeds.error().code, "{}: {}", place(), feeds.error().message);
  for (auto& feed : *feeds) {
    const auto next =
        static_cast<std::int64_t>(feed->position);  // nothing came of it yet, so nobody moves it
    partitions_.push_back({std::move(feed), next, MessageBatch(options_.framing, pool_)});
  }
  for (std::int32_t number = first; number < count; ++number) GLIMPSE_TRY(begin(number));
  return assign();
}

// Finds where a partition is read from; waits for the brokers, and for one of them to lead it.
Status TopicInput::begin(std::int32_t number) {
  while (!stopping_) {
    const auto offset = beginning_of(number);
    if (!offset && offset.error().code == ErrorCode::kUnavailable) {
      note_trouble(offset.error().message);
      continue;
    }
    if (!offset) return failure(offset.error().code, "{}: {}", place(), offset.error().message);
    const auto index = static_cast<std::size_t>(number);
    const bool is_new = progress_->partitions().size() <= index;
    // What was read and is not learned yet goes on being told as such.
    if (std::exchange(partitions_[index].next, *offset) != *offset || is_new)
      progress_->begin(index, static_cast<std::uint64_t>(*offset));
    break;
  }
  return {};
}

// The offset where reading of a partition begins: where nothing was read yet, its oldest message. Errors: one
// that is to be next is not there.
Result<std::int64_t> TopicInput::beginning_of(std::int32_t number) {
  const std::int64_t position = partitions_[static_cast<std::size_t>(number)].next;
  GLIMPSE_TRY_ASSIGN(const auto range, consumer_->range(number, kBrokersAnswer));
  const std::string where = fmt::format("{}/{}", name(), number);
  if (position == 0) return range.low;
  if (position > range.high)
    return failure(
        ErrorCode::kMismatch,
        "{} ends at offset {}, and {} messages of it are learned: it was made again or cut, or is of "
        "other brokers; give a topic that was made again another name or --state-directory",
        where, range.high, position);
  if (position >= range.low) return position;
  const std::string lost = fmt::format(
      "{}: the messages from offset {} to {} were removed by the topic's retention before they "
      "were learned",
      where, position, range.low - 1);
  if (!options_.skips_lost)
    return failure(ErrorCode::kMismatch,
                   "{}; --kafka-lost skip goes on behind them, and a longer retention.ms keeps them", lost);
  spdlog::warn("{}; they are skipped (--kafka-lost skip)", lost);
  return range.low;
}

Status TopicInput::assign() {
  std::vector<KafkaPosition> positions;
  positions.reserve(partitions_.size());
  for (std::size_t i = 0; i < partitions_.size(); ++i)
    positions.push_back({static_cast<std::int32_t>(i), partitions_[i].next});
  held_.clear();
  is_paused_ = false;
  return consumer_->assign(positions);
}

std::optional<KafkaMessage> TopicInput::next_message() {
  if (!held_.empty()) {
    std::optional<KafkaMessage> message(std::move(held_.front()));
    held_.pop_front();
    return message;
  }
  if (is_paused_) set_paused(false);
  if (has_pending_) return consumer_->poll(0ms);
  if (auto message = consumer_->poll(kUntilAsked)) {
    hastened_ = 0;
    return message;
  }
  hasten();
  return consumer_->poll(kIdleInterval);
}

// librdkafka fetches nothing while its queue is full. Nothing tells its thread of a broker that the queue has
// become empty: that thread looks again now and then, after up to a second, or when it has something else to
// do. This question is that, where it goes to that broker; the answer is of no interest. To ask for the range
// of a partition would always go there, and at times waits for a minute, whatever the patience.
void TopicInput::hasten() {
  const auto now = Clock::now();
  if (now < next_hastening_ || has_told_trouble_ || hastened_ == kMostHastened) return;
  bool is_behind = false;
  for (std::size_t p = 0; p < partitions_.size() && !is_behind; ++p)
    is_behind = has_more(consumer_->known_end(static_cast<std::int32_t>(p)), partitions_[p].next);
  if (!is_behind) return;
  next_hastening_ = now + kAskedAgain;
  ++hastened_;
  (void)consumer_->partitions(kUntilAsked);
}

Status TopicInput::take(const KafkaMessage& message) {
  using Kind = KafkaMessage::Kind;
  const auto number = static_cast<std::size_t>(std::max<std::int32_t>(message.partition(), 0));
  if (message.kind() == Kind::kFailed || number >= partitions_.size()) {
    has_failed_ = true;
    if (const std::string why = message.why(); std::exchange(told_failure_, why) != why)
      spdlog::warn("{}: {}; partitions without an error are read on", name(), why);
    return {};
  }
  Partition& partition = partitions_[number];
  if (message.kind() == Kind::kOutOfRange) {
    GLIMPSE_TRY(begin(message.partition()));
    return assign();
  }
  if (has_told_trouble_) note_recovered();
  if (message.kind() == Kind::kEnd) {
    progress_->note_read_to_end(number, static_cast<std::uint64_t>(partition.next),
                                static_cast<std::uint64_t>(message.offset()));
    return {};
  }
  if (message.offset() < partition.next) return {};  // was read before it was assigned again
  if (message.kind() == Kind::kTombstone)
    partition.batch.add_tombstone(static_cast<std::uint64_t>(message.offset()));
  else
    partition.batch.add(message.value(), static_cast<std::uint64_t>(message.offset()));
  partition.next = message.offset() + 1;
  pending_bytes_ += message.value().size() + kBatchBytes / kPendingMessages;
  has_pending_ = true;
  return {};
}

void TopicInput::push_all() {
  if (!has_pending_) return;
  for (std::size_t number = 0; number < partitions_.size(); ++number)
    if (!partitions_[number].batch.empty()) push(number);
  pending_bytes_ = 0;
  has_pending_ = false;
}

void TopicInput::push(std::size_t number) {
  Partition& partition = partitions_[number];
  Block block = partition.batch.take();
  const std::size_t expected = block.bytes.size();
  block.feed = partition.feed;
  block.marks = marker_.mark(*partition.feed, block.bytes.view);
  block.done = [&replies = replies_, expected, progress = progress_, number,
                next = static_cast<std::uint64_t>(partition.next)](BlockResult&& result) {
    if (!result.gave_up) progress->note_learned(number, next);
    replies.append(expected, result.replies);
  };
  if (!replies_.wait_for_room(stopping_)) return;  // nothing of it is learned, so it is read again
  replies_.expect(expected);
  try {
    while (!queue_.push_within(block, kUntilPause)) {
      if (!is_paused_) set_paused(true);
      while (auto message = consumer_->poll(0ms)) held_.push_back(std::move(*message));
      note_ends();
    }
  } catch (const std::bad_alloc&) {
    replies_.append(expected, {});  // other inputs wait for these replies as well
    throw;
  }
}

// As answers with messages told it: no question to the brokers.
void TopicInput::note_ends() {
  const auto now = Clock::now();
  if (now < next_ends_) return;
  next_ends_ = now + kEndsInterval;
  for (std::size_t number = 0; number < partitions_.size(); ++number)
    if (const auto end = consumer_->known_end(static_cast<std::int32_t>(number)))
      progress_->note_end(number, static_cast<std::uint64_t>(*end));
}

void TopicInput::set_paused(bool paused) {
  std::vector<std::int32_t> numbers(partitions_.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i);
  const Status status = paused ? consumer_->pause(numbers) : consumer_->resume(numbers);
  if (!status) spdlog::warn("{}: could not be paused or resumed: {}", name(), status.error().message);
  is_paused_ = paused;
}

// What the brokers tell of the topic now and then, and at once where something is wrong.
Status TopicInput::watch() {
  const auto now = Clock::now();
  if (has_told_trouble_ || has_failed_ || consumer_->trouble())
    next_look_ = std::min(next_look_, now + kLookInTrouble);
  if (now < next_look_) return {};
  next_look_ = now + kPartitionsInterval;
  has_failed_ = false;
  const auto count = consumer_->partitions(kBrokersAnswer);
  if (!count && count.error().code == ErrorCode::kUnavailable) {
    note_trouble(consumer_->trouble().value_or(count.error().message));
    return {};
  }
  if (!count) return failure(count.error().code, "{}: {}", place(), count.error().message);
  consumer_->forget_trouble();
  note_recovered();
  const auto known = static_cast<std::int32_t>(partitions_.size());
  if (*count <= known) return {};
  spdlog::info("{}: has {} partitions now, and had {}", name(), *count, known);
  return add_partitions(*count);
}

void TopicInput::note_trouble(const std::string& why) {
  progress_->note_trouble(why);
  if (std::exchange(has_told_trouble_, true)) return;
  spdlog::warn("{}: {}; learning from it waits, and goes on by itself", name(), why);
}

void TopicInput::note_recovered() {
  if (!std::exchange(has_told_trouble_, false)) return;
  progress_->note_trouble({});
  spdlog::info("{}: the brokers answer again; learning from it goes on", name());
}

}  // namespace glimpse
