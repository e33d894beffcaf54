#include "daemon/kafka/source_writer.h"

#include <string>
#include <vector>

#include "daemon/kafka/kafka_mock_test_support.h"

namespace source_writer_test {

using namespace kafka_mock_test_support;
using glimpse::ErrorCode;
using glimpse::KafkaPosition;
using glimpse::SourceWriter;
using Kind = glimpse::KafkaMessage::Kind;

// The numbers of requests.
constexpr std::int16_t kProduce = 0;
constexpr std::int16_t kInitProducerId = 22;
constexpr std::int16_t kTxnOffsetCommit = 28;

std::unique_ptr<SourceWriter> writer_of(const MockCluster& cluster,
                                        std::chrono::milliseconds timeout = kPatience,
                                        const std::string& topic = "t") {
  auto made = SourceWriter::open("kafka-property", {cluster.address(topic), "meter", timeout}, {});
  REQUIRE(made.has_value());
  return std::move(*made);
}

TEST_CASE("source writer: what is committed is read, and what is given up is not") {
  const MockCluster cluster(2);
  const auto writer = writer_of(cluster);
  CHECK(writer->partitions().value() == 2);
  CHECK(writer->begin().value() == 0);
  CHECK_FALSE(writer->is_open());
  REQUIRE(writer->send("one", 1).has_value());
  REQUIRE(writer->send("two", 1).has_value());
  CHECK(writer->is_open());
  REQUIRE(writer->commit(2).has_value());
  CHECK_FALSE(writer->is_open());
  const auto consumer = cluster.consumer();
  const KafkaPosition from{1};
  REQUIRE(consumer->assign({&from, 1}).has_value());
  for (const char* wanted : {"one", "two"}) {
    const auto message = next_of(*consumer, Kind::kRecord);
    REQUIRE(message.has_value());
    CHECK(message->value() == wanted);
  }
}

TEST_CASE("source writer: records that are in no message are committed as well") {
  const MockCluster cluster(1);
  const auto writer = writer_of(cluster);
  REQUIRE(writer->begin().has_value());
  CHECK(writer->commit(1).has_value());
}

TEST_CASE("source writer: of a younger one of the same source the older is told") {
  const MockCluster cluster(1);
  const auto writer = writer_of(cluster);
  REQUIRE(writer->begin().has_value());
  REQUIRE(writer->send("one", 0).has_value());
  const std::vector<rd_kafka_resp_err_t> fenced(3, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH);
  rd_kafka_mock_push_request_errors_array(cluster.get(), kTxnOffsetCommit, fenced.size(), fenced.data());
  const auto refused = writer->commit(1);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kMismatch);
  CHECK(refused.error().message.find("another writer of source 'meter' has begun") != std::string::npos);
  writer->abandon();
}

TEST_CASE("source writer: refusals that waiting does not change are told at once") {
  const MockCluster cluster(1);
  const auto writer = writer_of(cluster);
  rd_kafka_mock_push_request_errors(cluster.get(), kInitProducerId, 1,
                                    RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
  const auto refused = writer->begin();
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kMismatch);
  CHECK(refused.error().message.find("topic 't' of the brokers at 127.0.0.1:") != std::string::npos);
}

TEST_CASE("source writer: a message that the brokers refuse ends it, with the reason") {
  const MockCluster cluster(1);
  const auto writer = writer_of(cluster);
  REQUIRE(writer->begin().has_value());
  rd_kafka_mock_push_request_errors(cluster.get(), kProduce, 1, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
  REQUIRE(writer->send("one", 0).has_value());
  const auto refused = writer->commit(1);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kTooLarge);
  CHECK(refused.error().message.find("raise max.message.bytes of the topic") != std::string::npos);
}

TEST_CASE("source writer: brokers that are not there may come, and a topic that is not there does not") {
  const MockCluster cluster(1);
  rd_kafka_mock_broker_set_down(cluster.get(), 1);
  const auto absent = writer_of(cluster, std::chrono::milliseconds(300))->begin();
  REQUIRE_FALSE(absent.has_value());
  CHECK(absent.error().code == ErrorCode::kUnavailable);
  rd_kafka_mock_broker_set_up(cluster.get(), 1);
  rd_kafka_mock_topic_set_error(cluster.get(), "gone", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const auto missing = writer_of(cluster, kPatience, "gone")->partitions();
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == ErrorCode::kNotFound);
}

}  // namespace source_writer_test
