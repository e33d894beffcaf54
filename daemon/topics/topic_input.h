#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "daemon/feeds/topic_progress.h"
#include "daemon/ingest/line_marker.h"
#include "daemon/ingest/message_batch.h"
#include "daemon/ingest/reply_writer.h"
#include "daemon/ingest/running_input.h"
#include "daemon/kafka/kafka_consumer.h"
#include "daemon/training/block_queue.h"

namespace glimpse {

/// Shows the oldest messages of the topic's partitions, each as lines, and waits for more until `enough` says
/// so: of the messages so far of one partition. They are read all the same: the caller of assign() decides
/// where. Says in the log what is waited for. Errors: kNotFound, the topic is not there; of `enough`, and
/// kInvalidInput where `most` bytes are not enough.
/// `is_end`: the partition has no more at this time.
using EnoughMessages = std::function<Result<bool>(std::string_view lines, bool is_end)>;
Status look_at_topic(KafkaConsumer& consumer, std::size_t most, const EnoughMessages& enough);

/// A topic of Kafka as an input: each partition is a feed whose position is the offset of its next message,
/// and is kept in checkpoints. Read on a thread of its own, which waits while the queue is full. Brokers that
/// are gone are waited for. It ends where reading on would leave out or repeat a message: the topic is gone,
/// or has fewer partitions, or the next message is not there any more.
/// Thread-safety: start(), stop() and the destructor from one thread.
class TopicInput final : public RunningInput {
 public:
  struct Options {
    Framing framing = Framing::lines(1);  ///< of the format
    bool skips_lost = false;              ///< goes on behind messages that the brokers have removed
  };
  struct Hooks {
    /// Makes the feeds of the partitions from `first` to `count` - 1, on the trainer's thread. Errors end the
    /// input.
    std::function<Result<std::vector<std::shared_ptr<Feed>>>(StreamProcessor&, std::int32_t first,
                                                             std::int32_t count)>
        make_feeds;
    /// How it ended: by stop(), or with an error.
    std::function<void(Status)> ended;
  };

  /// `queue` and `replies` outlive this. `progress` is kept up.
  TopicInput(std::unique_ptr<KafkaConsumer> consumer, Options options, BlockQueue& queue,
             ReplyWriter& replies, std::shared_ptr<TopicProgress> progress, Hooks hooks);
  ~TopicInput() override;

  void start() override;
  void stop() override;

 private:
  using Clock = std::chrono::steady_clock;

  struct Partition {
    std::shared_ptr<Feed> feed;
    std::int64_t next;  // offset of the first message that was not read
    MessageBatch batch;
  };

  void run();
  Status read_all();
  Status open_partitions();
  Status add_partitions(std::int32_t count);
  Status begin(std::int32_t number);
  Result<std::int64_t> beginning_of(std::int32_t number);
  Status assign();
  Status take(const KafkaMessage& message);
  std::optional<KafkaMessage> next_message();
  void hasten();
  void push(std::size_t number);
  void push_all();
  void set_paused(bool paused);
  Status watch();
  void note_ends();
  void note_trouble(const std::string& why);
  void note_recovered();
  std::string name() const { return "kafka:" + consumer_->address().topic; }
  std::string place() const;

  const std::unique_ptr<KafkaConsumer> consumer_;
  const Options options_;
  BlockQueue& queue_;
  ReplyWriter& replies_;
  const std::shared_ptr<TopicProgress> progress_;
  const Hooks hooks_;
  BufferPool pool_;
  LineMarker marker_;
  std::vector<Partition> partitions_;
  std::deque<KafkaMessage> held_;  // that came while all was paused
  std::size_t pending_bytes_ = 0;  // of the batches
  bool has_pending_ = false;       // there is a batch
  bool is_paused_ = false;
  bool has_told_trouble_ = false;
  std::string told_failure_;  // the last one that was logged
  bool has_failed_ = false;   // since the brokers were asked last
  Clock::time_point next_look_{};
  Clock::time_point next_ends_{};
  Clock::time_point next_hastening_{};
  int hastened_ = 0;  // since the last message
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace glimpse
