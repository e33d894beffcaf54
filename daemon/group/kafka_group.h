#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/kafka/kafka_consumer.h"
#include "daemon/kafka/kafka_properties.h"

struct rd_kafka_consumer_group_metadata_s;

namespace glimpse {

/// A member of a consumer group that reads one topic. The group's coordinator gives each partition to one
/// member at a time, by ranges, and takes all away before it deals them out again. Reading of a partition
/// begins when read() says where: the group's own offsets are never looked at.
///
/// Thread-safety: none.
class KafkaGroup {
 public:
  /// Called within poll() and leave(). What one throws poll() throws.
  struct Events {
    std::function<void(std::span<const std::uint32_t>)> assigned;
    std::function<void(std::span<const std::uint32_t>)> revoked;  ///< the coordinator waits until it returns
    std::function<void(std::span<const std::uint32_t>)> lost;     ///< they are another's already
  };

  struct Settings {
    KafkaAddress address;
    std::string group;
    /// A member of that name that comes back within the session keeps its partitions; empty: none.
    std::string instance;
    std::chrono::milliseconds session{10'000};  ///< a member that is silent for so long is out
  };

  /// Reaches for no broker yet. Errors: as KafkaConsumer::open().
  static Result<std::unique_ptr<KafkaGroup>> open(std::string_view option, const Settings& settings,
                                                  std::span<const KafkaProperty> properties, Events events);
  /// Leaves the group without an event, as a process that is killed and is missed at once.
  ~KafkaGroup();
  KafkaGroup(const KafkaGroup&) = delete;
  KafkaGroup& operator=(const KafkaGroup&) = delete;

  /// Becomes a member, once the coordinator is reached. Errors: kUnavailable.
  Status join();
  /// Gives all partitions back, by Events::revoked, and is no member any more. Waits for the coordinator.
  void leave();

  /// Reads these partitions and no others from now on, each from its offset. REQUIRES: they are assigned.
  Status read(std::span<const KafkaPosition> positions);

  /// The next message, waiting for it at most so long. To be called again and again: who does not for
  /// max.poll.interval.ms is out of the group.
  std::optional<KafkaMessage> poll(std::chrono::milliseconds timeout);
  /// As KafkaConsumer::partitions(). Where there is more to fetch and poll() gives nothing, librdkafka, whose
  /// queue was full, looks again by this now, and not after up to a second (TopicInput::hasten()).
  Result<std::int32_t> partitions(std::chrono::milliseconds timeout) const;
  /// Ends the wait of a poll() of now, or of the next one. Any thread.
  void wake();

  /// Of the input's partition, as KafkaConsumer::known_end().
  std::optional<std::int64_t> known_end(std::int32_t partition) const;

  struct DestroyMetadata {
    void operator()(rd_kafka_consumer_group_metadata_s* metadata) const;
  };
  using Metadata = std::unique_ptr<rd_kafka_consumer_group_metadata_s, DestroyMetadata>;
  /// What a transaction says of the member that commits offsets.
  Metadata metadata() const;
  /// As the coordinator calls this member; empty: it is none.
  std::string member() const;

  /// As KafkaConsumer::trouble().
  const std::optional<std::string>& trouble() const { return trouble_; }
  /// As KafkaConsumer::forget_trouble(); but what librdkafka does not recover from stays.
  void forget_trouble();

 private:
  struct Destroy {
    void operator()(rd_kafka_s* client) const;
  };

  KafkaGroup(Settings settings, Events events) : settings_(std::move(settings)), events_(std::move(events)) {}
  void tell(int event, const std::vector<std::uint32_t>& partitions);
  static void on_rebalance(rd_kafka_s* client, int event, void* list, void* opaque);
  static void on_error(rd_kafka_s* client, int error, const char* reason, void* opaque);

  const Settings settings_;
  const Events events_;
  std::optional<std::string> trouble_;
  bool is_silent_ = false;  // tells of no event any more
  bool has_left_ = false;
  std::exception_ptr thrown_;  // by an event: librdkafka, which called it, knows no exceptions
  std::unique_ptr<rd_kafka_s, Destroy> client_;
};

}  // namespace glimpse
