#include <string>
#include <vector>

#include "daemon/kafka/kafka_mock_test_support.h"

// Clang counts the macros of librdkafka as this file's code.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-statement-expression-from-macro-expansion"
#endif

namespace kafka_client_test {

using namespace kafka_mock_test_support;
using glimpse::ErrorCode;
using glimpse::KafkaMessage;
using glimpse::KafkaPosition;
using glimpse::KafkaProperty;
using Kind = glimpse::KafkaMessage::Kind;

void fill(const MockCluster& cluster, int messages, std::int32_t partition = 0) {
  const auto producer = cluster.producer();
  for (int i = 0; i < messages; ++i)
    REQUIRE(producer->send("m" + std::to_string(i), partition, kPatience).has_value());
  REQUIRE(producer->flush(kPatience).has_value());
  CHECK(producer->acknowledged() == static_cast<std::uint64_t>(messages));
  CHECK(producer->waiting() == 0);
}

TEST_CASE("kafka: what was produced is read from the offset that is asked for, up to the end") {
  const MockCluster cluster(2);
  fill(cluster, 5, 1);
  const auto consumer = cluster.consumer();
  const KafkaPosition from{1, 2};
  REQUIRE(consumer->assign({&from, 1}).has_value());
  for (int i = 2; i < 5; ++i) {
    const auto message = next_of(*consumer, Kind::kRecord);
    REQUIRE(message.has_value());
    CHECK(message->partition() == 1);
    CHECK(message->offset() == i);
    CHECK(message->value() == "m" + std::to_string(i));
  }
  const auto end = next_of(*consumer, Kind::kEnd);
  REQUIRE(end.has_value());
  CHECK(end->offset() == 5);
  CHECK(consumer->known_end(1) == 5);
  const auto range = consumer->range(1, kPatience);
  REQUIRE(range.has_value());
  CHECK(range->low == 0);
  CHECK(range->high == 5);
}

TEST_CASE("kafka: an empty value is a record, and none is a tombstone") {
  const MockCluster cluster(1);
  const auto producer = cluster.producer();
  REQUIRE(producer->send("", 0, kPatience).has_value());
  REQUIRE(producer->flush(kPatience).has_value());
  const auto consumer = cluster.consumer();
  const KafkaPosition from{0};
  REQUIRE(consumer->assign({&from, 1}).has_value());
  const auto message = next_of(*consumer, Kind::kRecord);
  REQUIRE(message.has_value());
  CHECK(message->value().empty());

  const auto address = cluster.address();
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", address.brokers.c_str(), nullptr, 0);
  rd_kafka_t* other = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
  REQUIRE(other != nullptr);
  CHECK(rd_kafka_producev(other, RD_KAFKA_V_TOPIC("t"), RD_KAFKA_V_PARTITION(0), RD_KAFKA_V_VALUE(nullptr, 0),
                          RD_KAFKA_V_END) == RD_KAFKA_RESP_ERR_NO_ERROR);
  CHECK(rd_kafka_flush(other, static_cast<int>(kPatience.count())) == RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_destroy(other);
  const auto tombstone = next_of(*consumer, Kind::kTombstone);
  REQUIRE(tombstone.has_value());
  CHECK(tombstone->offset() == 1);
  CHECK(tombstone->value().empty());
}

TEST_CASE("kafka: an offset that the broker does not have is said, and nothing is read from elsewhere") {
  const MockCluster cluster(1);
  fill(cluster, 3);
  const auto consumer = cluster.consumer();
  const KafkaPosition from{0, 1000};
  REQUIRE(consumer->assign({&from, 1}).has_value());
  const auto end = std::chrono::steady_clock::now() + kPatience;
  std::optional<KafkaMessage> message;
  while (!message && std::chrono::steady_clock::now() < end)
    message = consumer->poll(std::chrono::milliseconds(100));
  REQUIRE(message.has_value());
  CHECK(message->kind() == Kind::kOutOfRange);
  CHECK(message->partition() == 0);
  CHECK_FALSE(message->why().empty());
}

TEST_CASE("kafka: a paused partition gives nothing, and goes on where it stood") {
  const MockCluster cluster(1);
  fill(cluster, 100);
  const auto consumer = cluster.consumer();
  const KafkaPosition from{0};
  REQUIRE(consumer->assign({&from, 1}).has_value());
  const auto first = next_of(*consumer, Kind::kRecord);
  REQUIRE(first.has_value());
  CHECK(first->offset() == 0);
  const std::int32_t partition = 0;
  REQUIRE(consumer->pause({&partition, 1}).has_value());
  for (int i = 0; i < 20; ++i) CHECK_FALSE(consumer->poll(std::chrono::milliseconds(1)).has_value());
  REQUIRE(consumer->resume({&partition, 1}).has_value());
  for (int i = 1; i < 100; ++i) {
    const auto message = next_of(*consumer, Kind::kRecord);
    REQUIRE(message.has_value());
    REQUIRE(message->offset() == i);
  }
}

TEST_CASE("kafka: the partitions of a topic are counted, and a topic that is not there is refused") {
  const MockCluster cluster(3);
  CHECK(cluster.consumer()->partitions(kPatience).value() == 3);
  REQUIRE(rd_kafka_mock_topic_create(cluster.get(), "gone", 1, 1) == RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_mock_topic_set_error(cluster.get(), "gone", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const auto missing = cluster.consumer("gone")->partitions(kPatience);
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == ErrorCode::kNotFound);
  CHECK(missing.error().message.find("topic 'gone' is not on the brokers") != std::string::npos);
}

TEST_CASE("kafka: brokers that are gone are trouble until they are back") {
  const MockCluster cluster(1);
  const auto consumer = cluster.consumer();
  const KafkaPosition from{0};
  REQUIRE(consumer->assign({&from, 1}).has_value());
  REQUIRE(next_of(*consumer, Kind::kEnd).has_value());
  CHECK_FALSE(consumer->trouble().has_value());
  rd_kafka_mock_broker_set_down(cluster.get(), 1);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!consumer->trouble() && std::chrono::steady_clock::now() < end)
    static_cast<void>(consumer->poll(std::chrono::milliseconds(100)));
  REQUIRE(consumer->trouble().has_value());
  rd_kafka_mock_broker_set_up(cluster.get(), 1);
  fill(cluster, 1);
  const auto message = next_of(*consumer, Kind::kRecord);
  REQUIRE(message.has_value());
  CHECK(message->offset() == 0);
  CHECK_FALSE(consumer->trouble().has_value());
}

TEST_CASE("kafka: a message that the brokers refuse for good ends the sending, with the reason") {
  const MockCluster cluster(1);
  const auto producer = cluster.producer();
  REQUIRE(producer->send("first", 0, kPatience).has_value());
  REQUIRE(producer->flush(kPatience).has_value());
  constexpr std::int16_t kProduce = 0;  // the number of that request
  rd_kafka_mock_push_request_errors(cluster.get(), kProduce, 1, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  REQUIRE(producer->send("second", 0, kPatience).has_value());
  const auto refused = producer->flush(kPatience);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kMismatch);
  CHECK(refused.error().message.find("1 messages were not taken") != std::string::npos);
  CHECK(producer->acknowledged() == 1);
  CHECK(producer->lost() == 1);
  CHECK_FALSE(producer->send("third", 0, kPatience).has_value());
}

TEST_CASE("kafka: a message over the limit and a partition that is not there are refused") {
  const MockCluster cluster(1);
  const auto producer = cluster.producer();
  const auto large = producer->send(std::string(2'000'000, 'x'), 0, kPatience);
  REQUIRE_FALSE(large.has_value());
  CHECK(large.error().code == ErrorCode::kTooLarge);
  REQUIRE(producer->send("x", 0, kPatience).has_value());
  REQUIRE(producer->flush(kPatience).has_value());  // the partitions are known now
  const auto nowhere = producer->send("x", 7, kPatience);
  REQUIRE_FALSE(nowhere.has_value());
  CHECK(nowhere.error().code == ErrorCode::kNotFound);
}

TEST_CASE("kafka: a property that librdkafka does not know or refuses is named, and a secret is not shown") {
  const MockCluster cluster(1);
  const auto refusal = [&](const KafkaProperty& property) {
    const auto made = glimpse::KafkaConsumer::open("kafka", cluster.address(), {&property, 1});
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code == ErrorCode::kInvalidOption);
    return made.error().message;
  };
  CHECK(refusal({"no.such.thing", "1"}).find("no.such.thing") != std::string::npos);
  CHECK(refusal({"fetch.min.bytes", "many"}).find("fetch.min.bytes=many") != std::string::npos);
  const KafkaProperty fine{"fetch.min.bytes", "1"};
  CHECK(glimpse::KafkaConsumer::open("kafka", cluster.address(), {&fine, 1}).has_value());
}

}  // namespace kafka_client_test
