#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// A topic of a Kafka cluster, as options name it: kafka://HOST:PORT[,HOST:PORT…]/TOPIC.
struct KafkaAddress {
  std::string brokers;  ///< HOST:PORT, by commas: where the cluster is asked first
  std::string topic;
};

/// Whether that is meant as a Kafka topic rather than as a file.
bool is_kafka_address(std::string_view text);

/// Reads such an address. `option`, without dashes, is named in errors (kInvalidOption): a broker without
/// port, an IPv6 host without brackets, a topic that Kafka does not permit (1 to 249 of letters, digits, '.',
/// '_' and '-', but not "." or "..").
Result<KafkaAddress> parse_kafka_address(std::string_view option, std::string_view text);

}  // namespace glimpse
