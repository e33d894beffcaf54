#include "fleet/fleet_simulation.h"

#include <algorithm>
#include <doctest/doctest.h>

namespace fleet_simulation_test {

using namespace glimpse;

void check_sound(const FleetSimulation::Options& options, const FleetSimulation::Outcome& outcome) {
  CAPTURE(options.seed);
  CHECK(outcome.refusal.empty());
  CHECK(outcome.learned == options.messages);
  CHECK(outcome.lost == 0);
  CHECK(outcome.doubled == 0);
  CHECK(outcome.different == 0);
  CHECK(outcome.unrecovered == 0);
}

// 200 seconds in which one kind of event happens 10 times.
FleetSimulation::Options with(FleetEvent event) {
  FleetSimulation::Options options;
  options.partitions = 6;
  options.messages = 4000;
  options.messages_a_second = 20;
  options.events = 10;
  options.only = event;
  return options;
}

TEST_CASE(
    "fleet simulation: whatever happens, each message is learned once and the states are those of one "
    "reader") {
  std::uint64_t dropped = 0, fenced = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    FleetSimulation::Options options;
    options.partitions = 5;
    options.messages = 3000;
    options.messages_a_second = 10;
    options.events = 40;
    options.seed = seed;
    const auto outcome = FleetSimulation(options).run();
    check_sound(options, outcome);
    dropped += outcome.dropped;
    fenced += outcome.fenced;
  }
  CHECK(dropped > 0);  // something did go wrong
  CHECK(fenced > 0);
}

TEST_CASE("fleet simulation: the same seed, the same run") {
  FleetSimulation::Options options;
  options.partitions = 3;
  options.messages = 1000;
  options.messages_a_second = 50;
  options.events = 10;
  const auto one = FleetSimulation(options).run();
  const auto two = FleetSimulation(options).run();
  CHECK(one.seconds == two.seconds);
  CHECK(one.dropped == two.dropped);
  CHECK(one.commits == two.commits);
  CHECK(one.recoveries.size() == two.recoveries.size());
}

TEST_CASE("fleet simulation: options at their ends") {
  const auto run = [](auto change) {
    FleetSimulation::Options options;
    options.partitions = 4;
    options.messages = 600;
    options.messages_a_second = 10;
    options.events = 20;
    change(options);
    check_sound(options, FleetSimulation(options).run());
  };
  run([](auto& options) { options.partitions = 1; });
  run([](auto& options) { options.partitions = 2000; });  // most of them have no message
  run([](auto& options) { options.members = options.most_members = 20; });
  run([](auto& options) { options.members = options.most_members = 1; });
  run([](auto& options) { options.events = 0; });
  run([](auto& options) { options.session_seconds = options.commit_every / 10; });
  run([](auto& options) { options.commit_every = 600; });
  run([](auto& options) { options.brokers = 1, options.slow_answer = 10; });
  run([](auto& options) { options.costs.state_bytes = 100e6; });
}

TEST_CASE("fleet simulation: an undisturbed fleet is fresh all the time, unless folds take too long") {
  FleetSimulation::Options options = with(FleetEvent::kCompact);
  auto outcome = FleetSimulation(options).run();
  check_sound(options, outcome);
  REQUIRE(outcome.recoveries.size() == 10);
  for (const auto& recovery : outcome.recoveries)
    if (recovery.learning > 0 || recovery.fresh > 0) CHECK(outcome.seconds - recovery.fresh < 1);

  options.costs.fold.solution = 10;
  outcome = FleetSimulation(options).run();
  check_sound(options, outcome);
  CHECK(std::ranges::all_of(outcome.recoveries, [](const auto& recovery) { return recovery.learning == 0; }));
  CHECK(std::ranges::any_of(outcome.recoveries, [](const auto& recovery) { return recovery.fresh > 10; }));
}

TEST_CASE("fleet simulation: kills are timed from when they happen, and cost the session") {
  for (const FleetEvent event : {FleetEvent::kKill, FleetEvent::kKillInCall}) {
    CAPTURE(name_of(event));
    const auto options = with(event);
    const auto outcome = FleetSimulation(options).run();
    check_sound(options, outcome);
    REQUIRE(outcome.recoveries.size() > 5);
    for (const auto& recovery : outcome.recoveries) {
      CHECK(recovery.event == event);
      CHECK(recovery.learning >= options.session_seconds);
      CHECK(recovery.fresh > recovery.learning);  // what was learned late is committed and folded later still
    }
  }
}

TEST_CASE("fleet simulation: brokers that are slow hold learning up, and those that are not do not") {
  auto options = with(FleetEvent::kSlowBrokers);
  auto outcome = FleetSimulation(options).run();
  check_sound(options, outcome);
  CHECK(std::ranges::any_of(outcome.recoveries, [](const auto& recovery) { return recovery.learning > 1; }));

  options.slow_answer = 0;
  outcome = FleetSimulation(options).run();
  check_sound(options, outcome);
  CHECK(std::ranges::all_of(outcome.recoveries, [](const auto& recovery) { return recovery.learning == 0; }));
}

TEST_CASE("fleet simulation: a thousand partitions" * doctest::test_suite("repeats")) {
  FleetSimulation::Options options;
  options.partitions = 1000;
  options.members = 8;
  options.messages = 6000;
  options.messages_a_second = 150;
  options.events = 6;
  options.commit_every = 10;
  options.costs.fold.state = 0.0005;
  check_sound(options, FleetSimulation(options).run());
}

}  // namespace fleet_simulation_test
