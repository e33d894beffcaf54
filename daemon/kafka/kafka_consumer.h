#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/kafka/kafka_properties.h"

struct rd_kafka_s;
struct rd_kafka_message_s;

namespace glimpse {

/// A reader that waited kUntilAsked for a message of a partition that has more asks for its partitions(),
/// which hastens the client, after kAskedAgain once more, and at most kMostHastened times without a message:
/// what is there may be of transactions that go on.
inline constexpr std::chrono::milliseconds kUntilAsked{2};
inline constexpr std::chrono::milliseconds kAskedAgain{20};
inline constexpr int kMostHastened = 25;

/// Where reading of a partition goes on: the offset of the next message; or a position below.
struct KafkaPosition {
  static constexpr std::int64_t kBeginning = -2;  ///< the oldest message that the broker still has

  std::int32_t partition = 0;
  std::int64_t offset = kBeginning;
};

/// Whether a broker has told of messages from `next` on: of more than what ends transactions there.
bool has_more(std::optional<std::int64_t> known_end, std::int64_t next);

/// What poll() gave: a message, or what happened to a partition. Owns the message's memory. Thread-safety:
/// that of a value type; may be let go on any thread, before the consumer's end.
class KafkaMessage {
 public:
  enum class Kind {
    kRecord,      ///< a message with a value, which may be empty
    kTombstone,   ///< a message without a value
    kEnd,         ///< offset(): every message before it was given; more may come
    kOutOfRange,  ///< the broker does not have the message that was to be next; why() says so
    kFailed,      ///< why(); the client goes on trying
  };

  explicit KafkaMessage(rd_kafka_message_s* message);

  Kind kind() const { return kind_; }
  /// Below zero: of no partition, which only kFailed and kOutOfRange may be.
  std::int32_t partition() const;
  /// Not of kFailed and kOutOfRange.
  std::int64_t offset() const;
  /// As long as this lives; empty except of kRecord.
  std::string_view value() const;
  /// The same; empty where there is none. Not of kFailed and kOutOfRange.
  std::string_view key() const;
  /// The value of the last header of that name. Not of kFailed and kOutOfRange. Cost: a look at each header.
  std::string_view header(const char* name) const;
  /// One line, without names of glimpse.
  std::string why() const;

 private:
  struct Destroy {
    void operator()(rd_kafka_message_s* message) const;
  };
  std::unique_ptr<rd_kafka_message_s, Destroy> message_;
  Kind kind_;
};

/// Reads partitions of one topic that it is told, each from an offset it is told, and commits nothing:
/// the caller keeps the positions. Messages of transactions that were given up are not shown, so offsets
/// have gaps. Never goes to another offset by itself. Thread-safety: all members from one thread, except
/// partitions() and range(), which any thread may call.
class KafkaConsumer {
 public:
  /// Reaches for no broker yet. Errors (kInvalidOption): a property that librdkafka does not know or whose
  /// value it refuses; `option` names the option of properties. No secret is in their text.
  static Result<std::unique_ptr<KafkaConsumer>> open(std::string_view option, const KafkaAddress& address,
                                                     std::span<const KafkaProperty> properties);
  ~KafkaConsumer();
  KafkaConsumer(const KafkaConsumer&) = delete;
  KafkaConsumer& operator=(const KafkaConsumer&) = delete;

  const KafkaAddress& address() const { return address_; }

  /// How many partitions the topic has. Errors: kNotFound, the topic is not there; kUnavailable, no broker
  /// answered in time.
  Result<std::int32_t> partitions(std::chrono::milliseconds timeout) const;

  struct Range {
    std::int64_t low = 0;   ///< the oldest message there may be
    std::int64_t high = 0;  ///< the offset that the next message will have
  };
  /// What the broker has of that partition, asked now. Errors as of partitions().
  Result<Range> range(std::int32_t partition, std::chrono::milliseconds timeout) const;
  /// The end of that partition as the last answer with messages told; nothing before one. Costs no request.
  std::optional<std::int64_t> known_end(std::int32_t partition) const;

  /// Reads these partitions and no others from now on; all start again at their offsets. Errors:
  /// kUnavailable.
  Status assign(std::span<const KafkaPosition> positions);
  /// Of paused partitions poll() gives nothing. resume() goes on where reading stood. Errors: kNotFound, a
  /// partition that is not assigned.
  Status pause(std::span<const std::int32_t> partitions);
  Status resume(std::span<const std::int32_t> partitions);

  /// The next message, waiting for it at most so long. To be called again and again, also while all is
  /// paused.
  std::optional<KafkaMessage> poll(std::chrono::milliseconds timeout);

  /// Set while no broker can be reached: why, in one line. Cleared by the next message or end of a partition.
  const std::optional<std::string>& trouble() const { return trouble_; }
  /// They were reached otherwise: partitions() or range() were answered.
  void forget_trouble() { trouble_.reset(); }

 private:
  struct Destroy {
    void operator()(rd_kafka_s* client) const;
  };

  explicit KafkaConsumer(KafkaAddress address) : address_(std::move(address)) {}
  Status change(std::span<const std::int32_t> partitions, bool pause);
  static void on_error(rd_kafka_s* client, int error, const char* reason, void* opaque);

  const KafkaAddress address_;
  std::optional<std::string> trouble_;
  std::unique_ptr<rd_kafka_s, Destroy> client_;
};

}  // namespace glimpse
