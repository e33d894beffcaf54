#include <algorithm>
#include <doctest/doctest.h>

#include "daemon/durability/checkpoint_desk.h"

namespace checkpoint_pace_test {

using namespace glimpse;
using namespace std::chrono_literals;

namespace {
const CheckpointPace::Time kStart = CheckpointPace::Time() + 1h;
}

TEST_CASE("the first checkpoint that is asked for begins at once") {
  CHECK(CheckpointPace().earliest() < CheckpointPace::Time());
}

TEST_CASE("checkpoints that are asked for take no more than their share of the time") {
  for (const unsigned percent : {1U, 10U, 25U, 50U, 99U, 100U}) {
    CheckpointPace pace;
    pace.set_share(percent);
    auto now = kStart;
    auto busy = 0ms;
    for (int n = 1; n <= 200; ++n) {
      const auto took = 100ms * (1 + n % 7);
      pace.began(now);
      now += took;
      busy += took;
      pace.ended(now, true);
      now = std::max(now, pace.earliest());
    }
    const double share =
        100.0 * static_cast<double>(busy.count()) /
        static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(now - kStart).count());
    CHECK(share == doctest::Approx(percent).epsilon(1e-3));
  }
}

TEST_CASE("after failures the rest doubles up to a limit, and a success ends that") {
  CheckpointPace pace;
  auto now = kStart;
  for (const auto rest : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
    pace.began(now);
    pace.ended(now, false);
    CHECK(pace.earliest() == now + rest);
    now = pace.earliest();
  }
  pace.began(now);
  pace.ended(now + 5s, true);
  CHECK(pace.earliest() == now + 5s);
  pace.ended(now, false);
  CHECK(pace.earliest() == now + 1s);
}

}  // namespace checkpoint_pace_test
