#pragma once

#include <chrono>
#include <cstdint>
#include <librdkafka/rdkafka.h>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "daemon/kafka/kafka_properties.h"

namespace glimpse {

/// Ends a client of librdkafka, and all of its threads; leaves no group, and waits for no message. Waits for
/// that for 3 seconds at most: a client whose topic was deleted meanwhile may never end
/// (confluentinc/librdkafka, issues 3007, 5434), and is left to the end of the process then. Any thread;
/// never throws.
void end_kafka_client(rd_kafka_s* client);

/// The properties of a client that is to be made, and the client made of them. Thread-safety: none.
class KafkaSettings {
 public:
  /// Logs nothing to standard error: what fails is told by errors.
  KafkaSettings();

  /// Of those that this program sets itself; a name or value that librdkafka refuses is a bug
  /// (std::logic_error).
  void own(const char* name, const char* value);
  /// The same of a property that not every version has that this program is built for.
  void own_where_known(const char* name, const char* value);
  /// Of the user, in their order. Errors (kInvalidOption) name `option` and the property, and no secret.
  Status pass_through(std::string_view option, std::span<const KafkaProperty> properties);
  rd_kafka_conf_t* get() { return conf_.get(); }

  /// The client, which the caller destroys. Not to be used any more after it. Errors (kInvalidOption):
  /// properties that contradict each other, files of keys that cannot be read.
  Result<rd_kafka_t*> make_client(std::string_view option, rd_kafka_type_t type);

 private:
  struct Destroy {
    void operator()(rd_kafka_conf_t* conf) const { rd_kafka_conf_destroy(conf); }
  };
  std::unique_ptr<rd_kafka_conf_t, Destroy> conf_;
};

struct DestroyKafkaPartitionList {
  void operator()(rd_kafka_topic_partition_list_t* list) const {
    rd_kafka_topic_partition_list_destroy(list);
  }
};
using KafkaPartitionList = std::unique_ptr<rd_kafka_topic_partition_list_t, DestroyKafkaPartitionList>;

struct DestroyKafkaError {
  void operator()(rd_kafka_error_t* error) const { rd_kafka_error_destroy(error); }
};
using KafkaError = std::unique_ptr<rd_kafka_error_t, DestroyKafkaError>;

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

/// Where a partition ends, as the brokers said last; nothing: they have not yet.
std::optional<std::int64_t> known_end(rd_kafka_t* client, const KafkaAddress& address,
                                      std::int32_t partition);

}  // namespace glimpse
