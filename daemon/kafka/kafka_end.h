#pragma once

struct rd_kafka_s;

namespace glimpse {

/// Ends a client of librdkafka, and all of its threads; leaves no group, and waits for no message. Waits for
/// that for 3 seconds at most: a client whose topic was deleted meanwhile may never end
/// (confluentinc/librdkafka, issues 3007, 5434), and is left to the end of the process then. Any thread;
/// never throws.
void end_kafka_client(rd_kafka_s* client);

}  // namespace glimpse
