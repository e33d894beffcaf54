#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/fleet/fleet_member.h"
#include "daemon/fleet/owned_partition_test_support.h"

// Members that decide together whether their stream has changed.
namespace fleet_member_drift_test {

using namespace glimpse;
using namespace glimpse::owned_partition_test_support;

namespace {

constexpr std::uint32_t kPartitions = 4;
using Numbers = std::vector<std::uint32_t>;

// What brokers hold.
struct Topics {
  struct StateMessage {
    std::string key, version, payload;
  };
  std::vector<std::string> input[kPartitions];
  std::vector<StateMessage> states[kPartitions];

  void produce(Random& random, double sign, int each) {
    for (auto& partition : input)
      for (int n = 0; n < each; ++n) partition.push_back(message(random, sign));
  }
};

struct Instance : FleetLink {
  Topics& topics;
  bool watches;
  std::size_t read[kPartitions] = {};
  bool later[kPartitions] = {};  // what commits of a partition are answered
  std::vector<FleetCut> told;
  FleetMember member;

  Instance(Topics& of, const Numbers& partitions, bool watches_drift = true)
      : topics(of),
        watches(watches_drift),
        member(
            *this, {.topic = "t", .partitions = kPartitions, .watches_drift = watches_drift},
            {.open =
                 [watches_drift](std::uint32_t partition, const State* state, const StateVersion& version) {
                   return open_partition(partition, state, version, {.watches_drift = watches_drift});
                 },
             .found = {},
             .cut = [this](const FleetCut& cut) { told.push_back(cut); },
             .corrupt = [](const Error& error) { FAIL(error.message); }}) {
    member.assigned(partitions);
    turn();
  }

  void turn() {
    (void)member.turn();
    for (std::uint32_t p = 0; p < kPartitions; ++p) {
      while (read[p] < topics.states[p].size()) {
        const auto message = topics.states[p][read[p]++];
        member.state_message(message.key, message.version, message.payload);
        member.state_read(p, read[p]);
      }
      member.states_at_end(p);
    }
    (void)member.turn();
  }
  // Learns from all that is there, and commits.
  void work() {
    for (std::uint32_t p = 0; p < kPartitions; ++p)
      if (OwnedPartition* const owner = member.owned(p))
        for (std::uint64_t n = owner->next_offset(); n < topics.input[p].size(); ++n)
          member.message(p, n, topics.input[p][n]);
    (void)member.commit_all();
    turn();
  }
  // The cut that a partition's newest state has applied.
  std::uint64_t applied(std::uint32_t p) const {
    const auto cut = member.drift().applied(p);
    return cut ? cut->rise.number : 0;
  }

  Answer fence(std::uint32_t) override { return Answer::kDone; }
  std::vector<std::optional<Extent>> extents(std::span<const std::uint32_t> partitions) override {
    std::vector<std::optional<Extent>> all;
    for (const std::uint32_t p : partitions) all.push_back(Extent{std::nullopt, topics.states[p].size(), 0});
    return all;
  }
  void start(std::uint32_t, std::uint64_t) override {}
  Answer commit(std::uint32_t partition, const StateChunks& state) override {
    if (later[partition]) return Answer::kLater;
    for (std::uint32_t c = 0; c < state.version().chunks; ++c)
      topics.states[partition].push_back(
          {format_chunk_key(state.key(c)), format_version(state.version()), std::string(state.payload(c))});
    return Answer::kDone;
  }
  void release(std::uint32_t) override {}
};

// A stream that turned round, as the states of all partitions know, and nobody has decided yet.
void turn_round(Topics& topics, Random& random, Instance& first, Instance& second) {
  topics.produce(random, 1, 1500);
  first.work();
  second.work();
  first.turn();
  first.work();
  CHECK(first.member.drift().number() == 0);
  topics.produce(random, -1, 40);
}

}  // namespace

TEST_CASE("fleet member: a change that all partitions show is forgotten by each of them once") {
  Topics topics;
  Random random(1);
  Instance first(topics, {0, 1});
  Instance second(topics, {2, 3});
  turn_round(topics, random, first, second);
  first.work();
  second.work();
  first.turn();
  CHECK(first.member.drift().number() == 0);
  // No message came since, in any of them.
  first.work();
  CHECK(first.applied(0) == 1);
  CHECK(first.member.is_awaited(1));  // it was cut, and that is to be committed
  first.work();
  CHECK_FALSE(first.member.is_awaited(1));
  second.turn();
  CHECK(second.member.is_awaited(2));
  second.work();
  for (std::uint32_t p = 0; p < kPartitions; ++p) CHECK(second.applied(p) == 1);
  for (Instance* const instance : {&first, &second}) {
    REQUIRE(instance->told.size() == 1);
    CHECK(instance->told[0].rise.after > instance->told[0].rise.before);
    CHECK(instance->told[0].decided_at[3] == 1540);
  }
  topics.produce(random, -1, 1500);
  for (int round = 0; round < 3; ++round) {
    first.work();
    second.work();
  }
  CHECK(first.member.drift().number() == 1);
  for (std::uint32_t p = 2; p < kPartitions; ++p) {
    CHECK(second.member.owned(p)->cuts().all().size() == 1);
    CHECK(second.member.owned(p)->processor().learner().drift().alarms == 1);
  }
}

TEST_CASE(
    "fleet member: an owner that dies before its cut is committed is followed by one that cuts itself") {
  Topics topics;
  Random random(2);
  Instance first(topics, {0, 1});
  auto second = std::make_unique<Instance>(topics, Numbers{2, 3});
  turn_round(topics, random, first, *second);
  first.work();
  second->work();
  first.turn();
  first.work();
  second->later[2] = second->later[3] = true;
  second->turn();
  CHECK(second->member.owned(2)->cuts().number() == 1);
  second->work();
  second.reset();  // killed: nothing of it was committed
  topics.produce(random, -1, 10);
  Instance third(topics, {2, 3});
  CHECK(third.applied(2) == 0);
  CHECK(third.member.owned(2)->cuts().number() == 1);  // where it stands
  CHECK(third.told.empty());                           // of the beginning
  third.work();
  for (std::uint32_t p = 2; p < kPartitions; ++p) {
    CHECK(third.applied(p) == 1);
    CHECK(third.member.drift().applied(p)->offset == 1540);
  }
  Instance fourth(topics, {2, 3});
  fourth.work();
  CHECK(fourth.member.owned(3)->cuts().all().size() == 1);
}

TEST_CASE("fleet member: a decision that was not committed is no decision, and is made again elsewhere") {
  Topics topics;
  Random random(3);
  auto first = std::make_unique<Instance>(topics, Numbers{0, 1});
  Instance second(topics, {2, 3});
  turn_round(topics, random, *first, second);
  first->work();
  second.work();
  first->turn();
  first->later[0] = true;
  first->work();
  CHECK(first->member.owned(0)->cuts().number() == 1);
  CHECK(first->member.owned(1)->cuts().number() == 0);
  // It waits for the brokers, and does not decide a second time.
  first->work();
  CHECK(first->member.owned(0)->cuts().number() == 1);
  second.turn();
  CHECK(second.member.owned(2)->cuts().number() == 0);
  first.reset();
  Instance third(topics, {0, 1});
  CHECK(third.member.owned(0)->cuts().number() == 0);
  third.work();
  CHECK(third.applied(0) == 1);
  second.turn();
  CHECK(second.member.owned(2)->cuts().number() == 1);
}

TEST_CASE("fleet member: without --drift auto nothing is decided, and states are as before") {
  Topics topics;
  Random random(4);
  Instance first(topics, {0, 1}, false);
  Instance second(topics, {2, 3}, false);
  turn_round(topics, random, first, second);
  for (int round = 0; round < 3; ++round) {
    first.work();
    second.work();
  }
  CHECK(first.member.drift().newest() == nullptr);
  CHECK(first.member.owned(0)->cuts().number() == 0);
}

}  // namespace fleet_member_drift_test
