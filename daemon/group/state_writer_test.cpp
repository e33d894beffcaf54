#include "daemon/group/state_writer.h"

#include <doctest/doctest.h>
#include <string>

#include "daemon/kafka/kafka_mock_test_support.h"

namespace state_writer_test {

using namespace glimpse;
using namespace kafka_mock_test_support;

namespace {

constexpr std::chrono::milliseconds kShort{500};
constexpr std::int32_t kBroker = 1;

std::unique_ptr<StateWriter> open(const MockCluster& cluster) {
  auto writer = StateWriter::open(
      "kafka", {.states = cluster.address("s"), .input = "t", .group = "g", .partition = 0, .owner = {}}, {});
  REQUIRE(writer.has_value());
  return std::move(*writer);
}

// Until it is not kLater any more.
template <class Ask>
FleetLink::Answer until_answered(const Ask& ask) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  FleetLink::Answer answer = ask();
  while (answer == FleetLink::Answer::kLater && std::chrono::steady_clock::now() < end) answer = ask();
  return answer;
}

}  // namespace

TEST_CASE(
    "what cannot be written while the brokers are gone is written by the same writer once they are back") {
  const MockCluster cluster(1);
  REQUIRE(rd_kafka_mock_topic_create(cluster.get(), "s", 1, 1) == RD_KAFKA_RESP_ERR_NO_ERROR);
  const auto writer = open(cluster);
  REQUIRE(until_answered([&] { return writer->fence(kPatience); }) == FleetLink::Answer::kDone);
  const std::string bytes(100'000, 'x');
  const auto state = StateChunks::cut(bytes, 0, 1, 7, 10'000);
  REQUIRE(state.has_value());
  REQUIRE(rd_kafka_mock_broker_set_down(cluster.get(), kBroker) == RD_KAFKA_RESP_ERR_NO_ERROR);
  CHECK(writer->commit(*state, {}, kShort) == FleetLink::Answer::kLater);
  CHECK(writer->why().find("10 messages of a state wait") != std::string::npos);
  CHECK(writer->commit(*state, {}, kShort) == FleetLink::Answer::kLater);
  REQUIRE(rd_kafka_mock_broker_set_up(cluster.get(), kBroker) == RD_KAFKA_RESP_ERR_NO_ERROR);
  CHECK(until_answered([&] { return writer->commit(*state, {}, kPatience); }) == FleetLink::Answer::kDone);
}

}  // namespace state_writer_test
