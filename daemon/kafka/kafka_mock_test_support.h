#pragma once

#include <array>
#include <chrono>
#include <doctest/doctest.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <memory>
#include <optional>
#include <string>

#include "daemon/kafka/kafka_consumer.h"
#include "daemon/kafka/kafka_producer.h"

namespace kafka_mock_test_support {

/// Patience for what is to happen; a test that passes does not wait so long.
inline constexpr std::chrono::milliseconds kPatience{30'000};

/// A cluster of one broker in this process, with one topic "t".
class MockCluster {
 public:
  explicit MockCluster(int partitions) {
    std::array<char, 512> why{};
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
    client_.reset(rd_kafka_new(RD_KAFKA_PRODUCER, conf, why.data(), why.size()));
    REQUIRE_MESSAGE(client_ != nullptr, why.data());
    cluster_.reset(rd_kafka_mock_cluster_new(client_.get(), 1));
    REQUIRE(rd_kafka_mock_topic_create(cluster_.get(), "t", partitions, 1) == RD_KAFKA_RESP_ERR_NO_ERROR);
  }

  rd_kafka_mock_cluster_t* get() const { return cluster_.get(); }
  glimpse::KafkaAddress address(const std::string& topic = "t") const {
    return {rd_kafka_mock_cluster_bootstraps(cluster_.get()), topic};
  }
  std::unique_ptr<glimpse::KafkaConsumer> consumer(const std::string& topic = "t") const {
    auto made = glimpse::KafkaConsumer::open("kafka", address(topic), {});
    REQUIRE(made.has_value());
    return std::move(*made);
  }
  std::unique_ptr<glimpse::KafkaProducer> producer() const {
    auto made = glimpse::KafkaProducer::open("kafka", address(), {});
    REQUIRE(made.has_value());
    return std::move(*made);
  }

 private:
  struct DestroyClient {
    void operator()(rd_kafka_t* client) const { rd_kafka_destroy(client); }
  };
  struct DestroyCluster {
    void operator()(rd_kafka_mock_cluster_t* cluster) const { rd_kafka_mock_cluster_destroy(cluster); }
  };
  std::unique_ptr<rd_kafka_t, DestroyClient> client_;
  std::unique_ptr<rd_kafka_mock_cluster_t, DestroyCluster> cluster_;
};

/// The next message that is neither an end nor a failure that passes; none: patience ended.
inline std::optional<glimpse::KafkaMessage> next_of(glimpse::KafkaConsumer& consumer,
                                                    glimpse::KafkaMessage::Kind kind) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    auto message = consumer.poll(std::chrono::milliseconds(100));
    if (message && message->kind() == kind) return message;
  }
  return std::nullopt;
}

}  // namespace kafka_mock_test_support
