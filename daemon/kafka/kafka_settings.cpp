#include "daemon/kafka/kafka_settings.h"

#include <array>
#include <chrono>
#include <future>
#include <librdkafka/rdkafka.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace glimpse {

namespace {
constexpr std::chrono::seconds kEnd{3};
}

void end_kafka_client(rd_kafka_s* client) try {
  const auto promise = std::make_shared<std::promise<void>>();
  std::future<void> ended = promise->get_future();
  std::thread thread([client, promise] {
    rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    promise->set_value();
  });
  if (ended.wait_for(kEnd) == std::future_status::ready)
    thread.join();
  else
    thread.detach();
} catch (const std::exception&) {
  rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);  // there is no thread to be had
}

KafkaSettings::KafkaSettings() : conf_(rd_kafka_conf_new()) {
  rd_kafka_conf_set_log_cb(conf_.get(), [](const rd_kafka_t*, int, const char*, const char*) {});
}

void KafkaSettings::own(const char* name, const char* value) {
  std::array<char, 512> why{};
  if (rd_kafka_conf_set(conf_.get(), name, value, why.data(), why.size()) != RD_KAFKA_CONF_OK)
    throw std::logic_error(std::string("librdkafka refuses ") + name + ": " + why.data());
}

void KafkaSettings::own_where_known(const char* name, const char* value) {
  std::array<char, 512> there{};
  std::size_t size = there.size();
  if (rd_kafka_conf_get(conf_.get(), name, there.data(), &size) == RD_KAFKA_CONF_OK) own(name, value);
}

Status KafkaSettings::pass_through(std::string_view option, std::span<const KafkaProperty> properties) {
  std::array<char, 512> why{};
  for (const auto& [name, value] : properties) {
    const rd_kafka_conf_res_t result =
        rd_kafka_conf_set(conf_.get(), name.c_str(), value.c_str(), why.data(), why.size());
    if (result == RD_KAFKA_CONF_OK) continue;
    if (result == RD_KAFKA_CONF_UNKNOWN)
      return invalid_option(option, name,
                            "is no property of librdkafka " + std::string(rd_kafka_version_str()));
    // What librdkafka says may quote the value.
    if (is_kafka_secret(name)) return invalid_option(option, name, "its value is refused by librdkafka");
    return invalid_option(option, name + "=" + value, std::string("librdkafka says: ") + why.data());
  }
  return {};
}

Result<rd_kafka_t*> KafkaSettings::make_client(std::string_view option, rd_kafka_type_t type) {
  std::array<char, 512> why{};
  rd_kafka_t* client = rd_kafka_new(type, conf_.get(), why.data(), why.size());
  if (client == nullptr)
    return failure(ErrorCode::kInvalidOption, "--{}: no client of Kafka can be made of these properties: {}",
                   option, why.data());
  static_cast<void>(conf_.release());  // the client's
  return client;
}

bool is_fenced(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__FENCED || error == RD_KAFKA_RESP_ERR_PRODUCER_FENCED ||
         error == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH;
}

ErrorCode code_of(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      return ErrorCode::kNotFound;
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
      return ErrorCode::kTooLarge;
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE:
    case RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT:
      return ErrorCode::kMismatch;
    default:
      return is_fenced(error) ? ErrorCode::kMismatch : ErrorCode::kUnavailable;
  }
}

Error explain_kafka(const KafkaAddress& address, rd_kafka_resp_err_t error) {
  if (code_of(error) == ErrorCode::kNotFound)
    return failure(ErrorCode::kNotFound,
                   "topic '{}' is not on the brokers at {}: create it, or correct its name", address.topic,
                   address.brokers);
  return failure(ErrorCode::kUnavailable, "topic '{}' of the brokers at {}: {}", address.topic,
                 address.brokers, rd_kafka_err2str(error));
}

Result<KafkaMetadata> ask_metadata(rd_kafka_t* client, const KafkaAddress& address,
                                   std::chrono::milliseconds timeout) {
  struct DestroyTopic {
    void operator()(rd_kafka_topic_t* topic) const { rd_kafka_topic_destroy(topic); }
  };
  const std::unique_ptr<rd_kafka_topic_t, DestroyTopic> topic(
      rd_kafka_topic_new(client, address.topic.c_str(), nullptr));
  if (topic == nullptr) return explain_kafka(address, rd_kafka_last_error());
  const struct rd_kafka_metadata* metadata = nullptr;  // a function has that name too
  const auto error = rd_kafka_metadata(client, 0, topic.get(), &metadata, static_cast<int>(timeout.count()));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return explain_kafka(address, error);
  return KafkaMetadata(metadata);
}

Result<std::int32_t> count_partitions(rd_kafka_t* client, const KafkaAddress& address,
                                      std::chrono::milliseconds timeout) {
  GLIMPSE_TRY_ASSIGN(const auto metadata, ask_metadata(client, address, timeout));
  if (metadata->topic_cnt == 1) {
    const rd_kafka_metadata_topic& found = metadata->topics[0];
    if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR) return explain_kafka(address, found.err);
    if (found.partition_cnt > 0) return std::int32_t{found.partition_cnt};
  }
  return explain_kafka(address, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
}

std::optional<std::int64_t> known_end(rd_kafka_t* client, const KafkaAddress& address,
                                      std::int32_t partition) {
  std::int64_t low = RD_KAFKA_OFFSET_INVALID;
  std::int64_t high = RD_KAFKA_OFFSET_INVALID;
  if (rd_kafka_get_watermark_offsets(client, address.topic.c_str(), partition, &low, &high) !=
          RD_KAFKA_RESP_ERR_NO_ERROR ||
      high < 0)
    return std::nullopt;
  return high;
}

}  // namespace glimpse
