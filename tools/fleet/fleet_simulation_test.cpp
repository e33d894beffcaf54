#include "fleet/fleet_simulation.h"

#include <doctest/doctest.h>

namespace fleet_simulation_test {

using namespace glimpse;

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
    CAPTURE(seed);
    CHECK(outcome.refusal.empty());
    CHECK(outcome.learned == options.messages);
    CHECK(outcome.lost == 0);
    CHECK(outcome.doubled == 0);
    CHECK(outcome.different == 0);
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

}  // namespace fleet_simulation_test
