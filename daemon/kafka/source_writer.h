#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/kafka/kafka_producer.h"
#include "daemon/kafka/kafka_properties.h"

struct rd_kafka_error_s;

namespace glimpse {

/// Writes the records of one named source to a topic, each once. Messages go out in transactions, and each
/// transaction commits the count of records that are inside then, as the offset of a consumer group of the
/// source's own (on partition 0): both are there, or neither. So who was killed asks begin() where to go on.
/// Group and transactional.id are glimpse-send/TOPIC/SOURCE; of several writers of a source the brokers hear
/// the youngest alone. Brokers forget the offsets of a group that was not used for offsets.retention.minutes
/// (a week).
///
/// After an error the writer is of no more use but for abandon(); kUnavailable: another one may go on. Other
/// codes: waiting does not help. Errors name topic and brokers. Thread-safety: none.
class SourceWriter {
 public:
  struct Settings {
    KafkaAddress address;
    std::string source;                         ///< check_source_name()
    std::chrono::milliseconds timeout{10'000};  ///< for each answer of the brokers
  };

  /// Reaches for no broker yet. Errors: as KafkaConsumer::open().
  static Result<std::unique_ptr<SourceWriter>> open(std::string_view option, Settings settings,
                                                    std::span<const KafkaProperty> properties);
  /// What was not committed is given up.
  ~SourceWriter();
  SourceWriter(const SourceWriter&) = delete;
  SourceWriter& operator=(const SourceWriter&) = delete;

  /// Shuts out older writers of the source, ends what they left open, and tells how many records are inside.
  /// Errors: kMismatch, a password or an access list.
  Result<std::uint64_t> begin();
  /// How many partitions the topic has. Errors: kNotFound.
  Result<std::int32_t> partitions();

  /// Queues a copy. REQUIRES: begin() succeeded. Errors: KafkaProducer::send()'s.
  Status send(std::string_view value, std::int32_t partition);
  /// All that was sent since the commit before, and that `records` are inside now: both or neither are there
  /// for readers (isolation.level=read_committed). Returns once the brokers have them. Errors: kMismatch, a
  /// younger writer of the source has begun.
  Status commit(std::uint64_t records);
  /// Something was sent that is not committed.
  bool is_open() const { return is_open_; }
  /// Gives up what is not committed, at once instead of after transaction.timeout.ms, for which readers of
  /// the topic would wait. Waits for one answer at most.
  void abandon();

 private:
  explicit SourceWriter(Settings settings) : settings_(std::move(settings)) {}
  Status shut_out_others();
  Result<std::uint64_t> count_inside();
  Status open_transaction();
  Error explain(rd_kafka_error_s* error) const;
  Error explain_code(int error, std::string_view why) const;
  Status reason_of(Status status) const;
  int timeout() const { return static_cast<int>(settings_.timeout.count()); }

  const Settings settings_;
  std::string option_;
  std::string group_;
  std::vector<KafkaProperty> properties_;
  std::unique_ptr<KafkaProducer> producer_;
  bool is_open_ = false;
  std::chrono::steady_clock::time_point opened_{};  // the transaction
};

}  // namespace glimpse
