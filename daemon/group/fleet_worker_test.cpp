#include "daemon/group/fleet_worker.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>
#include <mutex>

#include "daemon/fleet/owned_partition_test_support.h"
#include "daemon/kafka/kafka_mock_test_support.h"

namespace glimpse {

using namespace kafka_mock_test_support;

namespace {

constexpr std::size_t kDimension = 4;
constexpr std::uint32_t kPartitions = 3;
constexpr int kMessages = 600;

Result<OwnedPartition> open_small(std::uint32_t partition, const State* state, const StateVersion& version) {
  return owned_partition_test_support::open_partition(partition, state, version,
                                                      {.dimension = kDimension, .budget = 2});
}

std::string message(int number) {
  return fmt::format("{} | 0:{} 1:{} 2:{} 3:1\n", number % 7, number % 5, number % 11, number % 3);
}

std::optional<std::string> take_two_lines(std::string_view lines, bool is_whole) {
  if (std::ranges::count(lines, '\n') < 2 && !is_whole) return std::nullopt;
  return std::string("decided");
}

// The states that one instance found, and the thread that finds them.
struct Instance {
  std::mutex mutex;
  std::map<std::uint32_t, StateVersion> newest;
  std::map<std::uint32_t, std::shared_ptr<const State>> states;
  std::optional<Error> failure;
  std::vector<std::string> decisions;
  std::unique_ptr<FleetWorker> worker;

  explicit Instance(const MockCluster& cluster, bool samples = false) {
    FleetWorker::Settings settings;
    settings.group.address = cluster.address();
    settings.group.group = "g";
    settings.group.session = std::chrono::seconds(5);  // above the cluster's first rebalance
    settings.states = cluster.address("g-states");
    settings.option = "kafka";
    settings.commit_every = std::chrono::milliseconds(50);
    worker = std::make_unique<FleetWorker>(
        settings,
        FleetWorker::Hooks{.open = open_small,
                           .begun = [](std::uint32_t) {},
                           .found =
                               [this](std::uint32_t partition, const StateVersion& version,
                                      std::shared_ptr<const State> state) {
                                 const std::lock_guard lock(mutex);
                                 newest[partition] = version;
                                 states[partition] = std::move(state);
                               },
                           .sample = samples ? take_two_lines : decltype(FleetWorker::Hooks::sample)(),
                           .decided = [this](const std::string& text) -> Status {
                             const std::lock_guard lock(mutex);
                             decisions.push_back(text);
                             return {};
                           },
                           .failed =
                               [this](const Error& error) {
                                 const std::lock_guard lock(mutex);
                                 failure = error;
                               }});
    worker->start("here:1");
  }

  // Messages in the newest states.
  std::uint64_t inside() {
    const std::lock_guard lock(mutex);
    std::uint64_t sum = 0;
    for (const auto& [partition, version] : newest) sum += version.offset;
    return sum;
  }

  void await(std::uint64_t messages) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (inside() < messages && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const std::lock_guard lock(mutex);
      REQUIRE_MESSAGE(!failure, (failure ? failure->message : ""));
    }
    REQUIRE(inside() == messages);
  }
};

void produce(const MockCluster& cluster, int from, int to) {
  const auto producer = cluster.producer();
  for (int number = from; number < to; ++number)
    REQUIRE(producer->send(message(number), number % static_cast<int>(kPartitions), kPatience).has_value());
  REQUIRE(producer->flush(kPatience).has_value());
}

std::uint64_t examples_of(const State& state) {
  auto owned = open_small(0, &state, {});
  REQUIRE(owned.has_value());
  return owned->processor().learner().counts().examples;
}

}  // namespace

TEST_CASE(
    "a member learns from all partitions, commits their states, and one that comes later goes on there") {
  const MockCluster cluster(kPartitions);
  REQUIRE(rd_kafka_mock_topic_create(cluster.get(), "g-states", kPartitions, 1) ==
          RD_KAFKA_RESP_ERR_NO_ERROR);
  produce(cluster, 0, kMessages);
  {
    Instance first(cluster);
    first.await(kMessages);
    const FleetReport report = first.worker->report();
    CHECK(report.owned() == kPartitions);
    CHECK(report.counts.taken == kMessages);
    CHECK(report.trouble.empty());
  }
  produce(cluster, kMessages, 2 * kMessages);
  Instance second(cluster);
  second.await(2 * kMessages);
  CHECK(second.worker->report().counts.taken == kMessages);
  std::uint64_t examples = 0;
  for (const auto& [partition, state] : second.states) examples += examples_of(*state);
  CHECK(examples == 2 * kMessages);
}

TEST_CASE("what a member learned when it is asked to stop is committed before it leaves") {
  const MockCluster cluster(kPartitions);
  REQUIRE(rd_kafka_mock_topic_create(cluster.get(), "g-states", kPartitions, 1) ==
          RD_KAFKA_RESP_ERR_NO_ERROR);
  produce(cluster, 0, kMessages);
  {
    Instance first(cluster);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (first.worker->report().counts.taken < kMessages && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(first.worker->report().counts.taken == kMessages);
  }
  Instance second(cluster);
  second.await(kMessages);
  CHECK(second.worker->report().counts.taken == 0);
}

TEST_CASE("a topic of states with another number of partitions is refused") {
  const MockCluster cluster(kPartitions);
  REQUIRE(rd_kafka_mock_topic_create(cluster.get(), "g-states", 2, 1) == RD_KAFKA_RESP_ERR_NO_ERROR);
  Instance first(cluster);
  first.worker->join();
  REQUIRE(first.failure.has_value());
  CHECK(first.failure->message.find("'g-states' has 2 partitions, and the input has 3") != std::string::npos);
}

TEST_CASE("topics that were just made and have not come around are waited for before there is a decision") {
  constexpr std::int16_t kListOffsets = 2;
  // It is asked where the input begins, and where the states end; then these are read, and then messages.
  std::vector<std::unique_ptr<MockCluster>> clusters;
  std::vector<std::unique_ptr<Instance>> instances;
  for (int passed = 0; passed < 4; ++passed) {
    const MockCluster& cluster = *clusters.emplace_back(std::make_unique<MockCluster>(kPartitions));
    REQUIRE(rd_kafka_mock_topic_create(cluster.get(), "g-states", kPartitions, 1) ==
            RD_KAFKA_RESP_ERR_NO_ERROR);
    produce(cluster, 0, kMessages);
    for (int i = 0; i < passed; ++i)
      rd_kafka_mock_push_request_errors(cluster.get(), kListOffsets, 1, RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_mock_push_request_errors(cluster.get(), kListOffsets, 1,
                                      RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    instances.push_back(std::make_unique<Instance>(cluster, true));
  }
  for (const auto& instance : instances) {
    instance->await(kMessages);
    CHECK(instance->decisions == std::vector<std::string>{"decided"});
  }
  instances.clear();
}

}  // namespace glimpse
