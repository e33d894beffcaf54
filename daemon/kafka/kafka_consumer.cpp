#include "daemon/kafka/kafka_consumer.h"

#include <librdkafka/rdkafka.h>

#include "daemon/kafka/kafka_settings.h"

namespace glimpse {

namespace {
static_assert(KafkaPosition::kBeginning == RD_KAFKA_OFFSET_BEGINNING);

KafkaMessage::Kind kind_of(const rd_kafka_message_t& message) {
  switch (message.err) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      return message.payload == nullptr ? KafkaMessage::Kind::kTombstone : KafkaMessage::Kind::kRecord;
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
      return KafkaMessage::Kind::kEnd;
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
      return KafkaMessage::Kind::kOutOfRange;
    default:
      return KafkaMessage::Kind::kFailed;
  }
}

}  // namespace

bool has_more(std::optional<std::int64_t> known_end, std::int64_t next) {
  constexpr std::int64_t kMarks = 2;  // of transactions: they have offsets, and are no messages
  return known_end && *known_end > next + kMarks;
}

void KafkaMessage::Destroy::operator()(rd_kafka_message_s* message) const {
  rd_kafka_message_destroy(message);
}

KafkaMessage::KafkaMessage(rd_kafka_message_s* message) : message_(message), kind_(kind_of(*message)) {}

std::int32_t KafkaMessage::partition() const { return message_->partition; }

std::int64_t KafkaMessage::offset() const { return message_->offset; }

std::string_view KafkaMessage::value() const {
  if (kind_ != Kind::kRecord) return {};  // of what failed it is the error's text
  return {static_cast<const char*>(message_->payload), message_->len};
}

std::string_view KafkaMessage::key() const {
  if (message_->key == nullptr) return {};
  return {static_cast<const char*>(message_->key), message_->key_len};
}

std::string_view KafkaMessage::header(const char* name) const {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(message_.get(), &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  const void* value = nullptr;
  std::size_t size = 0;
  if (rd_kafka_header_get_last(headers, name, &value, &size) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return {static_cast<const char*>(value), size};
}

std::string KafkaMessage::why() const { return rd_kafka_message_errstr(message_.get()); }

// It is no member of a group that it would have to leave, for which the brokers would be waited for.
void KafkaConsumer::Destroy::operator()(rd_kafka_s* client) const { end_kafka_client(client); }

Result<std::unique_ptr<KafkaConsumer>> KafkaConsumer::open(std::string_view option,
                                                           const KafkaAddress& address,
                                                           std::span<const KafkaProperty> properties) {
  std::unique_ptr<KafkaConsumer> consumer(new KafkaConsumer(address));
  KafkaSettings settings;
  // A stream that catches up waits less for answers of 4 MiB a partition, and not at all for a queue that is
  // full by its count of messages: its bytes (queued.max.messages.kbytes) bound it. The user's own come
  // behind.
  settings.own("fetch.message.max.bytes", "4194304");
  settings.own("queued.min.messages", "1000000");
  // How long nothing is fetched once that queue was full: a second by itself, from librdkafka 2.2 on.
  settings.own_where_known("fetch.queue.backoff.ms", "10");
  GLIMPSE_TRY(settings.pass_through(option, properties));
  settings.own("bootstrap.servers", address.brokers.c_str());
  settings.own("group.id", "glimpsed");  // librdkafka assigns nothing without one; nothing is committed to it
  settings.own("enable.auto.commit", "false");
  settings.own("enable.auto.offset.store", "false");
  settings.own("auto.offset.reset", "error");
  settings.own("enable.partition.eof", "true");
  settings.own("allow.auto.create.topics", "false");
  settings.own("isolation.level", "read_committed");
  rd_kafka_conf_set_opaque(settings.get(), consumer.get());
  rd_kafka_conf_set_error_cb(settings.get(), &KafkaConsumer::on_error);
  GLIMPSE_TRY_ASSIGN(auto client, settings.make_client(option, RD_KAFKA_CONSUMER));
  consumer->client_.reset(client);
  if (const auto error = rd_kafka_poll_set_consumer(client); error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return explain_kafka(address, error);
  return consumer;
}

KafkaConsumer::~KafkaConsumer() = default;

// Runs within poll().
void KafkaConsumer::on_error(rd_kafka_s*, int error, const char* reason, void* opaque) {
  auto& consumer = *static_cast<KafkaConsumer*>(opaque);
  // Single brokers come and go; what counts is that none is left, or none lets us in.
  if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || error == RD_KAFKA_RESP_ERR__AUTHENTICATION ||
      error == RD_KAFKA_RESP_ERR__FATAL)
    consumer.trouble_ = reason;
}

Result<std::int32_t> KafkaConsumer::partitions(std::chrono::milliseconds timeout) const {
  return count_partitions(client_.get(), address_, timeout);
}

Result<KafkaConsumer::Range> KafkaConsumer::range(std::int32_t partition,
                                                  std::chrono::milliseconds timeout) const {
  Range range;
  const auto error =
      rd_kafka_query_watermark_offsets(client_.get(), address_.topic.c_str(), partition, &range.low,
                                       &range.high, static_cast<int>(timeout.count()));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return explain_kafka(address_, error);
  return range;
}

std::optional<std::int64_t> KafkaConsumer::known_end(std::int32_t partition) const {
  return glimpse::known_end(client_.get(), address_, partition);
}

Status KafkaConsumer::assign(std::span<const KafkaPosition> positions) {
  const KafkaPartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(positions.size())));
  for (const KafkaPosition& position : positions)
    rd_kafka_topic_partition_list_add(list.get(), address_.topic.c_str(), position.partition)->offset =
        position.offset;
  if (const auto error = rd_kafka_assign(client_.get(), list.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return explain_kafka(address_, error);
  return {};
}

Status KafkaConsumer::change(std::span<const std::int32_t> partitions, bool pause) {
  const KafkaPartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const std::int32_t partition : partitions)
    rd_kafka_topic_partition_list_add(list.get(), address_.topic.c_str(), partition);
  const auto error = pause ? rd_kafka_pause_partitions(client_.get(), list.get())
                           : rd_kafka_resume_partitions(client_.get(), list.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return explain_kafka(address_, error);
  for (int i = 0; i < list->cnt; ++i)
    if (list->elems[i].err != RD_KAFKA_RESP_ERR_NO_ERROR) return explain_kafka(address_, list->elems[i].err);
  return {};
}

Status KafkaConsumer::pause(std::span<const std::int32_t> partitions) { return change(partitions, true); }

Status KafkaConsumer::resume(std::span<const std::int32_t> partitions) { return change(partitions, false); }

std::optional<KafkaMessage> KafkaConsumer::poll(std::chrono::milliseconds timeout) {
  rd_kafka_message_t* message = rd_kafka_consumer_poll(client_.get(), static_cast<int>(timeout.count()));
  if (message == nullptr) return std::nullopt;
  KafkaMessage result(message);
  if (result.kind() != KafkaMessage::Kind::kFailed) trouble_.reset();
  return result;
}

}  // namespace glimpse
