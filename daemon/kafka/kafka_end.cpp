#include "daemon/kafka/kafka_end.h"

#include <chrono>
#include <future>
#include <librdkafka/rdkafka.h>
#include <memory>
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

}  // namespace glimpse
