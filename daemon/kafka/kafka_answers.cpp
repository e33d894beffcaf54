#include "daemon/kafka/kafka_answers.h"

namespace glimpse {

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

}  // namespace glimpse
