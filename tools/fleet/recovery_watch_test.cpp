#include <doctest/doctest.h>

#include "fleet/fleet_simulation.h"

namespace recovery_watch_test {

using namespace glimpse;

TEST_CASE("recovery watch: an event ends where learning went on and the model was fresh for good") {
  RecoveryWatch watch(5);
  CHECK(watch.is_idle());
  watch.begin(FleetEvent::kKill, 10, 10);
  watch.step(10, false, true);
  watch.step(12, true, true);
  watch.step(13, false, true);  // what went on once stood still again
  watch.step(15, true, false);
  CHECK(watch.open() == 1);
  watch.step(21, true, true);
  REQUIRE(watch.recoveries().size() == 1);
  CHECK(watch.recoveries()[0].event == FleetEvent::kKill);
  CHECK(watch.recoveries()[0].learning == 5);
  CHECK(watch.recoveries()[0].fresh == 11);
  CHECK(watch.is_idle());
}

TEST_CASE("recovery watch: what disturbs nothing took no time, and is watched for as long as it might") {
  RecoveryWatch watch(5);
  watch.begin(FleetEvent::kCompact, 10, 10);
  watch.begin(FleetEvent::kSlowBrokers, 10, 20);  // its cause ends later
  watch.step(10, true, true);
  watch.step(14, true, true);
  CHECK(watch.recoveries().empty());
  watch.step(15, true, true);
  REQUIRE(watch.recoveries().size() == 1);
  CHECK(watch.recoveries()[0].learning == 0);
  CHECK(watch.recoveries()[0].fresh == 0);
  watch.step(18, false, true);  // before the end of the cause
  watch.step(19, true, true);
  watch.step(20, true, true);
  REQUIRE(watch.recoveries().size() == 2);
  CHECK(watch.recoveries()[1].learning == 9);
  CHECK(watch.recoveries()[1].fresh == 0);
}

TEST_CASE("recovery watch: events by their words") {
  CHECK(event_of("kill") == FleetEvent::kKill);
  CHECK(event_of("compact") == FleetEvent::kCompact);
  CHECK_FALSE(event_of("killed"));
  CHECK_FALSE(event_of(""));
}

}  // namespace recovery_watch_test
