#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "daemon/kafka/kafka_address.h"
#include "daemon/kafka/kafka_properties.h"

struct rd_kafka_s;

namespace glimpse {

/// Writes messages to one topic: each once and in order within its partition (idempotence), acknowledged by
/// all replicas in step. Without key: by runs to partitions that are drawn. Thread-safety: none.
class KafkaProducer {
 public:
  /// Reaches for no broker yet. Errors: as KafkaConsumer::open().
  static Result<std::unique_ptr<KafkaProducer>> open(std::string_view option, const KafkaAddress& address,
                                                     std::span<const KafkaProperty> properties);
  /// What was not acknowledged is given up.
  ~KafkaProducer();
  KafkaProducer(const KafkaProducer&) = delete;
  KafkaProducer& operator=(const KafkaProducer&) = delete;

  /// Queues a copy of `value`, to `partition` or to any. Waits while the queue is full (the property
  /// queue.buffering.max.messages and its kin), at most so long for each message. Errors: kTooLarge, over
  /// message.max.bytes; kNotFound, no such partition; kUnavailable, the queue stayed full, or a message
  /// before was lost for good: nothing more is sent then.
  Status send(std::string_view value, std::optional<std::int32_t> partition,
              std::chrono::milliseconds timeout);
  /// Waits until all are acknowledged. Errors: kUnavailable, some are not, and how many; the first one's
  /// reason.
  Status flush(std::chrono::milliseconds timeout);

  std::uint64_t acknowledged() const { return acknowledged_; }
  /// Those that never will be: refused by the brokers, or not taken within message.timeout.ms.
  std::uint64_t lost() const { return lost_; }
  /// Queued, and neither acknowledged nor lost.
  std::uint64_t waiting() const;

 private:
  struct Destroy {
    void operator()(rd_kafka_s* client) const;
  };

  explicit KafkaProducer(KafkaAddress address) : address_(std::move(address)) {}
  Status check_lost() const;
  void note_delivery(int error);

  const KafkaAddress address_;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t lost_ = 0;
  std::string first_loss_;  // why
  std::unique_ptr<rd_kafka_s, Destroy> client_;
};

}  // namespace glimpse
