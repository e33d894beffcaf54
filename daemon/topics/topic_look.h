#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "daemon/kafka/kafka_consumer.h"

namespace glimpse {

/// Shows the oldest messages of the topic's partitions, each as lines, and waits for more until `enough` says
/// so: of the messages so far of one partition. They are read all the same: the caller of assign() decides
/// where. Says in the log what is waited for. Errors: kNotFound, the topic is not there; of `enough`, and
/// kInvalidInput where `most` bytes are not enough.
using EnoughMessages = std::function<Result<bool>(std::string_view lines)>;
Status look_at_topic(KafkaConsumer& consumer, std::size_t most, const EnoughMessages& enough);

}  // namespace glimpse
