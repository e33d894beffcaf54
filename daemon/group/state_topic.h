#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "daemon/kafka/kafka_address.h"
#include "daemon/kafka/kafka_properties.h"

namespace glimpse {

/// Sees to it that the topic of states is there, with as many partitions as the input has: makes it where it
/// is not, compacted, with the brokers' number of replicas. Errors: kMismatch, it has another number of
/// partitions; kUnavailable, no broker answered in time or none may make it; kInvalidOption of properties.
/// Blocks for at most so long an answer.
Status ensure_state_topic(std::string_view option, const KafkaAddress& states, std::uint32_t partitions,
                          std::span<const KafkaProperty> properties, std::chrono::milliseconds timeout);

}  // namespace glimpse
