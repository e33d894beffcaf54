#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "daemon/kafka/kafka_properties.h"

struct rd_kafka_s;

namespace glimpse {

/// Writes messages to one topic: each once and in order within its partition (idempotence), acknowledged by
/// all replicas in step. Without key: by runs to partitions that are drawn. With a transactional id messages
/// are for its owner (SourceWriter) to put into transactions. Thread-safety: none.
class KafkaProducer {
 public:
  /// Reaches for no broker yet. `transactional_id` empty: without transactions. Errors: as
  /// KafkaConsumer::open().
  static Result<std::unique_ptr<KafkaProducer>> open(std::string_view option, const KafkaAddress& address,
                                                     std::span<const KafkaProperty> properties,
                                                     const std::string& transactional_id = {});
  /// What was not acknowledged is given up.
  ~KafkaProducer();
  KafkaProducer(const KafkaProducer&) = delete;
  KafkaProducer& operator=(const KafkaProducer&) = delete;

  /// Queues a copy of `value`, to `partition` or to any, with `key` unless that is empty. Waits while the
  /// queue is full (the property queue.buffering.max.messages and its kin), at most so long for each message.
  /// Errors: kTooLarge, over message.max.bytes; kNotFound, no such partition; kUnavailable, the queue stayed
  /// full; of a message before that was lost for good (code_of()): nothing more is sent then.
  Status send(std::string_view value, std::optional<std::int32_t> partition,
              std::chrono::milliseconds timeout, std::string_view key = {});
  /// Waits until all are acknowledged. Errors: kUnavailable, some are not, and how many; of one that was
  /// lost.
  Status flush(std::chrono::milliseconds timeout);

  std::uint64_t acknowledged() const { return acknowledged_; }
  /// Those that never will be: refused by the brokers, or not taken within message.timeout.ms.
  std::uint64_t lost() const { return lost_; }
  /// Queued, and neither acknowledged nor lost.
  std::uint64_t waiting() const;

  const KafkaAddress& address() const { return address_; }
  /// As long as this lives.
  rd_kafka_s* client() { return client_.get(); }
  /// Nothing where no message was lost; else of the first, code_of().
  Status check_lost() const;
  /// What the brokers say where none lets us in, or none can be reached; empty: nothing. An
  /// rd_kafka_resp_err_t and a line.
  const std::optional<std::pair<int, std::string>>& trouble() const { return trouble_; }

 private:
  struct Destroy {
    void operator()(rd_kafka_s* client) const;
  };

  explicit KafkaProducer(KafkaAddress address) : address_(std::move(address)) {}
  void note_delivery(int error);

  const KafkaAddress address_;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t lost_ = 0;
  int first_loss_ = 0;  // why, as an rd_kafka_resp_err_t
  std::optional<std::pair<int, std::string>> trouble_;
  std::unique_ptr<rd_kafka_s, Destroy> client_;
};

}  // namespace glimpse
