#include "daemon/group/extents_client.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "daemon/kafka/kafka_mock_test_support.h"

namespace extents_client_test {

using namespace glimpse;
using namespace kafka_mock_test_support;

namespace {

constexpr std::int32_t kBroker = 1;

std::unique_ptr<ExtentsClient> open(const MockCluster& cluster) {
  auto made = ExtentsClient::open(
      "kafka", {.input = cluster.address(), .states = cluster.address("s"), .group = "g"}, {});
  REQUIRE(made.has_value());
  return std::move(*made);
}

}  // namespace

TEST_CASE("the extents of several partitions are told in the order in which they were asked for") {
  const MockCluster cluster(3);
  REQUIRE(rd_kafka_mock_topic_create(cluster.get(), "s", 3, 1) == RD_KAFKA_RESP_ERR_NO_ERROR);
  const auto states = KafkaProducer::open("kafka", cluster.address("s"), {});
  REQUIRE(states.has_value());
  for (int partition = 0; partition < 3; ++partition)
    for (int message = 0; message < 10 * (partition + 1); ++message)
      REQUIRE((*states)->send("state", partition, kPatience).has_value());
  REQUIRE((*states)->flush(kPatience).has_value());
  const std::vector<std::uint32_t> asked{2, 0};
  const auto extents = open(cluster)->ask(asked, kPatience);
  REQUIRE_MESSAGE(extents.has_value(), extents.error().message);
  REQUIRE(extents->size() == 2);
  for (const auto& extent : *extents) {
    REQUIRE(extent.has_value());
    CHECK_FALSE(extent->learned_to.has_value());
    CHECK(extent->input_begin == 0);
  }
  CHECK((*extents)[0]->states_end == 30);
  CHECK((*extents)[1]->states_end == 10);
}

TEST_CASE("partitions with a leader are answered though another one has none") {
  const MockCluster cluster(3);
  REQUIRE(rd_kafka_mock_topic_create(cluster.get(), "s", 3, 1) == RD_KAFKA_RESP_ERR_NO_ERROR);
  REQUIRE(rd_kafka_mock_partition_set_leader(cluster.get(), "t", 1, -1) == RD_KAFKA_RESP_ERR_NO_ERROR);
  const std::vector<std::uint32_t> asked{0, 1, 2};
  const auto extents = open(cluster)->ask(asked, kPatience);
  REQUIRE_MESSAGE(extents.has_value(), extents.error().message);
  REQUIRE(extents->size() == 3);
  CHECK((*extents)[0].has_value());
  CHECK_FALSE((*extents)[1].has_value());
  CHECK((*extents)[2].has_value());
}

TEST_CASE("without brokers the question fails within its timeout, and is answered once they are back") {
  const MockCluster cluster(2);
  REQUIRE(rd_kafka_mock_topic_create(cluster.get(), "s", 2, 1) == RD_KAFKA_RESP_ERR_NO_ERROR);
  const auto client = open(cluster);
  const std::vector<std::uint32_t> asked{0, 1};
  REQUIRE(rd_kafka_mock_broker_set_down(cluster.get(), kBroker) == RD_KAFKA_RESP_ERR_NO_ERROR);
  const auto none = client->ask(asked, std::chrono::milliseconds(300));
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::kUnavailable);
  REQUIRE(rd_kafka_mock_broker_set_up(cluster.get(), kBroker) == RD_KAFKA_RESP_ERR_NO_ERROR);
  CHECK(client->ask(asked, kPatience).has_value());
}

}  // namespace extents_client_test
