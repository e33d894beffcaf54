#include "daemon/fleet/fleet_cut.h"

#include <cmath>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "daemon/fleet/owned_partition_test_support.h"

namespace fleet_cut_test {

using namespace glimpse;
using namespace glimpse::owned_partition_test_support;

namespace {

FleetCut cut_of(std::uint64_t number, double before = 1, double after = 4) {
  return {{number, before, after, 0.1}, {10, std::nullopt, 30}};
}

State state_of(const AppliedCuts& cuts) {
  State state;
  state.begin();
  cuts.save(state);
  state.finish();
  return state;
}

// The bytes that would be committed.
std::string bytes_of(OwnedPartition& owner) { return std::string(owner.encode().value()); }

}  // namespace

TEST_CASE("fleet cut: what was applied is restored, the last 1,000 of it") {
  AppliedCuts cuts;
  CHECK(AppliedCuts::restore(state_of(cuts))->number() == 0);
  for (std::uint64_t n = 1; n <= 1100; ++n) cuts.add(cut_of(n), 5 * n);
  const auto restored = AppliedCuts::restore(state_of(cuts));
  REQUIRE(restored.has_value());
  CHECK(restored->all().size() == 1000);
  CHECK(restored->all() == cuts.all());
  CHECK(restored->number() == 1100);
  CHECK(restored->last().decided_at == cut_of(1).decided_at);
}

TEST_CASE("fleet cut: what no fleet writes is refused") {
  const auto refuses = [](std::vector<std::uint64_t> cuts, std::vector<double> rises) {
    State state;
    state.begin();
    state.put_copy<std::uint64_t>("fleet.cuts", cuts);
    state.put_copy<double>("fleet.cut_rises", rises);
    state.put_copy<std::uint64_t>("fleet.cut_decided_at", std::vector<std::uint64_t>{});
    state.finish();
    const auto restored = AppliedCuts::restore(state);
    return !restored && restored.error().code == ErrorCode::kCorrupt;
  };
  CHECK_FALSE(refuses({1, 5}, {1, 2, .5}));
  CHECK(refuses({}, {}));
  CHECK(refuses({1}, {1, 2, .5}));
  CHECK(refuses({0, 5}, {1, 2, .5}));
  CHECK(refuses({1, 5}, {1, 2}));
  CHECK(refuses({1, 5}, {NAN, 2, .5}));
  CHECK(refuses({1, 5}, {1, 2, 1.5}));
  CHECK(refuses({2, 5, 2, 6}, {1, 2, .5, 1, 2, .5}));
  CHECK(refuses({1, 5, 2, 4}, {1, 2, .5, 1, 2, .5}));
}

TEST_CASE("fleet cut: a partition's messages and its cuts give its state again, to the bit") {
  for (const char* const algorithm : {"pairwise", "pairwise-screened", "two-phase-ddaerr"}) {
    CAPTURE(algorithm);
    const Options options{.algorithm = algorithm, .watches_drift = true};
    std::optional<OwnedPartition> owner(open_partition(3, nullptr, {}, options).value());
    Random random(1);
    std::vector<std::string> messages;
    for (int n = 0; n < 3000; ++n) messages.push_back(message(random, n < 1500 ? 1 : -1));
    // Restored on the way, as where owners change.
    for (std::uint64_t n = 0; n < messages.size(); ++n) {
      if (n == 1600) CHECK(owner->apply(cut_of(2, 0.1, 6)));
      if (n == 1600) CHECK_FALSE(owner->apply(cut_of(2, 0.1, 7)));
      if (n == 1600) CHECK_FALSE(owner->apply(cut_of(1, 0.1, 7)));
      if (n == 2500) CHECK(owner->apply(cut_of(3, 0.1, 0.3)));
      if (n == 1700 || n == 2600) {
        const State state = decoded(bytes_of(*owner));
        const StateVersion version{.sequence = owner->committed().sequence + 1, .offset = n};
        REQUIRE(OwnedPartition::check(state, "t", 3, version).has_value());
        owner.emplace(open_partition(3, &state, version, options).value());
        REQUIRE(owner->restore_cuts(state).has_value());
        CHECK_FALSE(owner->has_new_cut());
      }
      CHECK(owner->take(n, messages[n]));
    }
    auto again = open_partition(3, nullptr, {.sequence = owner->committed().sequence}, options).value();
    const AppliedCuts& cuts = owner->cuts();
    REQUIRE(cuts.all().size() == 2);
    std::size_t next = 0;
    for (std::uint64_t n = 0; n < messages.size(); ++n) {
      for (; next < cuts.all().size() && cuts.all()[next].offset == n; ++next)
        CHECK(again.apply({cuts.all()[next].rise, cuts.last().decided_at}));
      again.take(n, messages[n]);
    }
    CHECK(bytes_of(again) == bytes_of(*owner));
    // And the cuts have done something.
    auto without = open_partition(3, nullptr, {.sequence = owner->committed().sequence}, options).value();
    for (std::uint64_t n = 0; n < messages.size(); ++n) without.take(n, messages[n]);
    CHECK(bytes_of(without) != bytes_of(*owner));
    CHECK(owner->processor().learner().drift().alarms == 3);
  }
}

TEST_CASE("fleet cut: without --drift nothing is written of cuts") {
  auto owner = open_partition(0, nullptr, {}, {}).value();
  Random random(1);
  for (int n = 0; n < 100; ++n) owner.take(static_cast<std::uint64_t>(n), message(random, 1));
  const State state = decoded(bytes_of(owner));
  for (const char* const name : {"fleet.cuts", "fleet.cut_rises", "fleet.cut_decided_at", "drift.shared"})
    CHECK(state.find(name) == nullptr);
}

TEST_CASE(
    "fleet drift: the states of all partitions decide, those that have not applied the newest cut do not") {
  constexpr std::uint32_t kPartitions = 4;
  const Options options{.watches_drift = true};
  std::vector<OwnedPartition> owners;
  Random random(5);
  std::uint64_t offset = 0;
  for (std::uint32_t p = 0; p < kPartitions; ++p)
    owners.push_back(open_partition(p, nullptr, {}, options).value());
  FleetDrift drift(kPartitions);
  const auto learn = [&](int messages, double sign) {
    for (int n = 0; n < messages; ++n, ++offset)
      for (OwnedPartition& owner : owners) owner.take(offset, message(random, sign));
  };
  const auto note = [&](std::uint32_t p) {
    const State state = decoded(bytes_of(owners[p]));
    REQUIRE(drift.note(p, {.sequence = 1, .offset = offset}, state).has_value());
  };
  learn(2000, 1);
  for (std::uint32_t p = 0; p < kPartitions; ++p) note(p);
  CHECK_FALSE(drift.judge());
  CHECK(drift.newest() == nullptr);
  learn(40, -1);
  for (std::uint32_t p = 0; p < kPartitions; ++p) note(p);
  const auto cut = drift.judge();
  REQUIRE(cut.has_value());
  CHECK(cut->rise.number == 1);
  CHECK(cut->rise.after > 2 * cut->rise.before);
  CHECK(cut->decided_at == std::vector<std::optional<std::uint64_t>>(kPartitions, 2040));
  CHECK_FALSE(drift.judge());  // nothing is new
  drift.judge_again();
  CHECK(drift.judge()->rise == cut->rise);
  // The first is cut; what the others' windows hold is known already.
  owners[0].apply(*cut);
  note(0);
  REQUIRE(drift.newest() != nullptr);
  CHECK(drift.number() == 1);
  for (std::uint32_t p = 1; p < kPartitions; ++p) note(p);
  CHECK_FALSE(drift.judge());
  for (std::uint32_t p = 1; p < kPartitions; ++p) owners[p].apply(*drift.newest());
  learn(2000, -1);
  for (std::uint32_t p = 0; p < kPartitions; ++p) note(p);
  CHECK_FALSE(drift.judge());
  learn(40, 1);
  for (std::uint32_t p = 0; p < kPartitions; ++p)
    if (p != 2) note(p);
  const auto second = drift.judge();
  REQUIRE(second.has_value());
  CHECK(second->rise.number == 2);
  CHECK(second->decided_at[2] == 4040);
  CHECK(second->decided_at[3] == 4080);
}

}  // namespace fleet_cut_test
