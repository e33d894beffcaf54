#include <doctest/doctest.h>

#include "daemon/training/model_solver.h"

namespace solve_schedule_test {

using namespace glimpse;
using namespace std::chrono_literals;
using Time = SolveSchedule::Time;

namespace {
const Time kBegin{1000s};
}

TEST_CASE("the first model is one of a stream that paused, or ran for a quarter of a second") {
  SolveSchedule schedule;
  CHECK_FALSE(schedule.due(0, kBegin));
  CHECK(*schedule.due(1, kBegin) == kBegin + SolveSchedule::kQuiet);
  schedule.began(kBegin);
  schedule.began(kBegin + 1s);
  CHECK(*schedule.due(1000, kBegin + 100ms) == kBegin + 100ms + SolveSchedule::kQuiet);
  CHECK(*schedule.due(1000, kBegin + 250ms) == kBegin + 250ms);
}

TEST_CASE("while examples come in, 2 % of them are waited for, and three times the work of the last solve") {
  SolveSchedule schedule;
  schedule.solved(kBegin, 100ms, 5000);
  // It has learned until now, so that it may be quiet only from now on.
  for (const auto after : {0ms, 299ms, 301ms, 10000ms}) {
    const Time now = kBegin + after;
    CHECK(*schedule.due(5099, now) > now);
    CHECK((*schedule.due(5103, now) <= now) == (after > 300ms));
  }
}

TEST_CASE("a model that lacks half of the examples does not wait for the rest") {
  SolveSchedule schedule;
  schedule.solved(kBegin, 1000ms, 10);
  CHECK(*schedule.due(20, kBegin) > kBegin);
  CHECK(*schedule.due(21, kBegin) <= kBegin);
}

TEST_CASE("a quiet stream gets a model of its last example: soon, or after the rest where little is new") {
  SolveSchedule schedule;
  schedule.solved(kBegin, 100ms, 5000);
  CHECK_FALSE(schedule.due(5000, kBegin));
  CHECK(*schedule.due(5001, kBegin) == kBegin + 300ms);
  CHECK(*schedule.due(5001, kBegin + 1s) == kBegin + 1s + SolveSchedule::kQuiet);
  CHECK(*schedule.due(6000, kBegin) == kBegin + SolveSchedule::kQuiet);
}

TEST_CASE("a stream that never pauses gives a quarter of a core to solving, once two solves have passed") {
  SolveSchedule schedule;
  schedule.began(kBegin);
  constexpr auto kWork = 100ms;
  constexpr std::uint64_t kRate = 10;  // examples a millisecond
  Time now = kBegin;
  std::uint64_t examples = 0;
  std::chrono::milliseconds solving = 0ms;
  for (int ms = 0; ms < 20000; ++ms) {
    now += 1ms;
    examples += kRate;
    if (*schedule.due(examples, now) > now) continue;
    const std::uint64_t captured = examples;
    now += kWork;
    ms += 100;
    examples += 100 * kRate;
    schedule.solved(now, kWork, captured);
    if (ms > 1000) solving += kWork;
  }
  CHECK(solving <= 19000ms / 4 + kWork);
  CHECK(solving >= 19000ms / 5);
}

TEST_CASE("after a change of the stream a model of what came before is as good as none") {
  SolveSchedule schedule;
  const SolveSchedule::Time start{};
  schedule.began(start);
  schedule.solved(start + 10s, 100ms, 1'000'000);
  const auto soon = start + 10s + 1ms;
  CHECK(*schedule.due(1'000'010, soon) > soon);  // 2 % would be 20,000
  CHECK(*schedule.due(1'000'010, soon, 1'000'005) == SolveSchedule::Time::min());
  schedule.solved(soon, 100ms, 1'000'010);
  CHECK(*schedule.due(1'000'012, soon, 1'000'005) > soon);  // 2 of 7: after the rest
  CHECK(*schedule.due(1'000'017, soon, 1'000'005) == SolveSchedule::Time::min());
}

}  // namespace solve_schedule_test
