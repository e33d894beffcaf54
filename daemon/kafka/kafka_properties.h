#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// A property of librdkafka that is passed through, such as security.protocol.
struct KafkaProperty {
  std::string name;
  std::string value;  ///< of a secret: what its file holds; not to be logged
};

/// Whether the value of that property is a secret, which is given by a file.
bool is_kafka_secret(std::string_view name);

/// Reads `NAME=VALUE`, which `option` (without dashes) was given. A secret is given as NAME=@FILE, a file
/// that only owner and group may read; its first line is the value. Errors (kInvalidOption; no secret is in
/// their text): no NAME, a property that glimpse sets itself, with the reason, a secret that is not in a
/// file, a file that cannot be read. Whether librdkafka knows the name is found by KafkaConsumer::open() and
/// KafkaProducer::open().
Result<KafkaProperty> parse_kafka_property(std::string_view option, std::string_view text);

/// Each of `texts`, in their order. Errors: those of the first that has one.
Result<std::vector<KafkaProperty>> parse_kafka_properties(std::string_view option,
                                                          std::span<const std::string> texts);

}  // namespace glimpse
