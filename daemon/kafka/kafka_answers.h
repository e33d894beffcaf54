#pragma once

#include <chrono>
#include <cstdint>
#include <librdkafka/rdkafka.h>
#include <memory>

#include "base/result.h"
#include "daemon/kafka/kafka_address.h"

namespace glimpse {

struct DestroyKafkaPartitionList {
  void operator()(rd_kafka_topic_partition_list_t* list) const {
    rd_kafka_topic_partition_list_destroy(list);
  }
};
using KafkaPartitionList = std::unique_ptr<rd_kafka_topic_partition_list_t, DestroyKafkaPartitionList>;

/// Whether another client with the same transactional.id has shut this one out, or the brokers have ended its
/// transaction, as that took too long.
bool is_fenced(rd_kafka_resp_err_t error);

/// What waiting does not change: kNotFound, the topic or partition is not there; kTooLarge, a message;
/// kMismatch, refused to this user by password or access list, shut out (is_fenced()), or brokers that are
/// too old. All else is kUnavailable.
ErrorCode code_of(rd_kafka_resp_err_t error);

/// For who reads: kNotFound, or kUnavailable for all that can be mended at the brokers meanwhile.
Error explain_kafka(const KafkaAddress& address, rd_kafka_resp_err_t error);

struct DestroyKafkaMetadata {
  void operator()(const struct rd_kafka_metadata* metadata) const { rd_kafka_metadata_destroy(metadata); }
};
using KafkaMetadata = std::unique_ptr<const struct rd_kafka_metadata, DestroyKafkaMetadata>;
/// What the brokers say of that topic alone, asked now; of one that is not there, too. Errors: as of
/// explain_kafka(). Any thread.
Result<KafkaMetadata> ask_metadata(rd_kafka_t* client, const KafkaAddress& address,
                                   std::chrono::milliseconds timeout);

/// How many partitions the topic has, asked of the brokers now. Errors: as of explain_kafka(). Any thread.
Result<std::int32_t> count_partitions(rd_kafka_t* client, const KafkaAddress& address,
                                      std::chrono::milliseconds timeout);

}  // namespace glimpse
