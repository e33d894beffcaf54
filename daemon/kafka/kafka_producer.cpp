#include "daemon/kafka/kafka_producer.h"

#include <algorithm>

#include "daemon/kafka/kafka_settings.h"

// Clang counts the macros of librdkafka as this file's code.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-statement-expression-from-macro-expansion"
#endif

namespace glimpse {

namespace {
using Clock = std::chrono::steady_clock;

int left_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
}
}  // namespace

void KafkaProducer::Destroy::operator()(rd_kafka_s* client) const {
  rd_kafka_purge(client, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  end_kafka_client(client);
}

Result<std::unique_ptr<KafkaProducer>> KafkaProducer::open(std::string_view option,
                                                           const KafkaAddress& address,
                                                           std::span<const KafkaProperty> properties,
                                                           const std::string& transactional_id) {
  std::unique_ptr<KafkaProducer> producer(new KafkaProducer(address));
  KafkaSettings settings;
  GLIMPSE_TRY(settings.pass_through(option, properties));
  settings.own("bootstrap.servers", address.brokers.c_str());
  settings.own("enable.idempotence", "true");
  if (!transactional_id.empty()) settings.own("transactional.id", transactional_id.c_str());
  settings.own("allow.auto.create.topics", "false");
  rd_kafka_conf_set_opaque(settings.get(), producer.get());
  rd_kafka_conf_set_dr_msg_cb(settings.get(),
                              [](rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
                                static_cast<KafkaProducer*>(opaque)->note_delivery(message->err);
                              });
  rd_kafka_conf_set_error_cb(settings.get(), [](rd_kafka_t*, int error, const char* reason, void* opaque) {
    if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || error == RD_KAFKA_RESP_ERR__AUTHENTICATION)
      static_cast<KafkaProducer*>(opaque)->trouble_ = {error, reason};
  });
  GLIMPSE_TRY_ASSIGN(auto client, settings.make_client(option, RD_KAFKA_PRODUCER));
  producer->client_.reset(client);
  return producer;
}

KafkaProducer::~KafkaProducer() = default;

void KafkaProducer::note_delivery(int error) {
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
    ++acknowledged_;
    return;
  }
  if (lost_++ == 0) first_loss_ = error;
}

Status KafkaProducer::check_lost() const {
  if (lost_ == 0) return {};
  const auto error = static_cast<rd_kafka_resp_err_t>(first_loss_);
  const ErrorCode code = code_of(error);
  return failure(code, "topic '{}' of the brokers at {}: {} messages were not taken: {}{}", address_.topic,
                 address_.brokers, lost_, rd_kafka_err2str(error),
                 code == ErrorCode::kTooLarge ? "; raise max.message.bytes of the topic" : "");
}

Status KafkaProducer::send(std::string_view value, std::optional<std::int32_t> partition,
                           std::chrono::milliseconds timeout, std::string_view key) {
  const auto end = Clock::now() + timeout;
  rd_kafka_poll(client_.get(), 0);
  for (;;) {
    GLIMPSE_TRY(check_lost());
    // An empty value is no tombstone: librdkafka takes a null pointer for that.
    const char* bytes = value.empty() ? "" : value.data();
    const auto error = rd_kafka_producev(client_.get(), RD_KAFKA_V_TOPIC(address_.topic.c_str()),
                                         RD_KAFKA_V_PARTITION(partition.value_or(RD_KAFKA_PARTITION_UA)),
                                         RD_KAFKA_V_KEY(key.empty() ? nullptr : key.data(), key.size()),
                                         RD_KAFKA_V_VALUE(const_cast<char*>(bytes), value.size()),
                                         RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
    if (error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
      return failure(
          ErrorCode::kTooLarge,
          "a message of {} bytes is over message.max.bytes: raise it here and max.message.bytes of topic "
          "'{}'",
          value.size(), address_.topic);
    if (error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION)
      return failure(ErrorCode::kNotFound, "topic '{}' has no partition {}", address_.topic,
                     partition.value_or(-1));
    const int left = left_until(end);
    if (error != RD_KAFKA_RESP_ERR__QUEUE_FULL || left == 0)
      return failure(ErrorCode::kUnavailable, "topic '{}' of the brokers at {}: {}", address_.topic,
                     address_.brokers, rd_kafka_err2str(error));
    rd_kafka_poll(client_.get(), left);  // until something is acknowledged or lost
  }
}

Status KafkaProducer::flush(std::chrono::milliseconds timeout) {
  const auto error = rd_kafka_flush(client_.get(), static_cast<int>(timeout.count()));
  GLIMPSE_TRY(check_lost());
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return failure(ErrorCode::kUnavailable,
                 "topic '{}' of the brokers at {}: {} messages are not acknowledged: {}", address_.topic,
                 address_.brokers, waiting(), rd_kafka_err2str(error));
}

std::uint64_t KafkaProducer::waiting() const {
  return static_cast<std::uint64_t>(rd_kafka_outq_len(client_.get()));
}

}  // namespace glimpse
