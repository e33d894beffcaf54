#include "common/pacer.h"

#include <chrono>
#include <doctest/doctest.h>

namespace glimpse::pacer_test {
namespace {

using namespace std::chrono_literals;
using Time = Pacer::Clock::time_point;

TEST_CASE("slow streams wait for each example, and rounding does not add up") {
  Pacer pacer(30);
  Time now{};
  for (int k = 1; k <= 30'000; ++k) {
    const auto until = pacer.after_example(now);
    REQUIRE(until);
    now = *until;
  }
  CHECK(now - Time{} > 1000s - 1us);
  CHECK(now - Time{} <= 1000s);
}

TEST_CASE("fast streams wait for groups of examples") {
  Pacer pacer(1e6);
  Time now{};
  int waits = 0;
  for (int k = 0; k < 1'000'000; ++k)
    if (const auto until = pacer.after_example(now)) {
      CHECK(*until - now >= Pacer::kGroup);
      now = *until;
      ++waits;
    }
  CHECK(waits >= 99);
  CHECK(waits <= 100);
  CHECK(now - Time{} >= 1s - Pacer::kGroup);
  CHECK(now - Time{} <= 1s);
}

TEST_CASE("what a long stall missed is not made up for, what a short one missed is") {
  Pacer pacer(100);
  Time now = *pacer.after_example(Time{});
  now += 100ms;
  int at_once = 0;
  while (!pacer.after_example(now)) ++at_once;
  CHECK(at_once >= 9);
  CHECK(at_once <= 11);
  now += 1h;
  CHECK_FALSE(pacer.after_example(now));
  CHECK(pacer.after_example(now).value() == now + 10ms);
}

}  // namespace
}  // namespace glimpse::pacer_test
