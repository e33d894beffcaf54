#include "stats/change_detector.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "base/random.h"
#include "stats/loss_like_test_support.h"

namespace change_detector_test {

using namespace glimpse;
using namespace glimpse::loss_like_test_support;

namespace {

// After how many numbers of mean `after` a rise is noticed, `before` numbers of mean 0 having come first.
std::uint64_t delay(std::uint64_t before, double after, std::uint64_t seed) {
  Random random(seed);
  ChangeDetector detector;
  for (std::uint64_t i = 0; i < before; ++i) REQUIRE_FALSE(detector.add(normal(random)));
  for (std::uint64_t i = 1; i <= 100000; ++i)
    if (detector.add(after + normal(random))) return i;
  return 100001;
}

}  // namespace

TEST_CASE("numbers of any size, and NaN, leave finite sums") {
  ChangeDetector detector;
  const double infinity = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 1000; ++k)
    for (const double value : {1e300, -1e300, infinity, -infinity, std::nan(""), 0.0})
      (void)detector.add(value);
  State state;
  state.begin();
  detector.save(state, "d");
  state.finish();
  for (const char* const name : {"d.buckets", "d.partial"}) {
    const auto values = state.get<double>(name).value();
    for (const double value : values) CHECK(std::isfinite(value));
  }
}

TEST_CASE(
    "a stream without change gives no alarm in a million numbers, ten seeds, normal and with heavy tails") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    ChangeDetector calm;
    ChangeDetector wild;
    int alarms = 0;
    for (int i = 0; i < 1000000; ++i) {
      alarms += calm.add(normal(random)) ? 1 : 0;
      alarms += wild.add(heavy(random)) ? 1 : 0;
    }
    CHECK(alarms == 0);
    CHECK(calm.width() == 1000000);
    CHECK(calm.mean() == doctest::Approx(0).epsilon(1).scale(0.005));
  }
}

TEST_CASE("the delay falls with the square of the rise, down to the least that is compared") {
  CHECK(delay(10000, 2, 1) <= 96);
  CHECK(delay(10000, 1, 2) <= 128);
  CHECK(delay(10000, 0.5, 3) <= 320);
  CHECK(delay(100000, 0.1, 4) <= 8000);
  CHECK(delay(100000, 0.1, 4) > 1000);
}

TEST_CASE("a rise is reported with both means, and the window then begins about where it happened") {
  Random random(5);
  ChangeDetector detector;
  for (int i = 0; i < 5000; ++i) REQUIRE_FALSE(detector.add(3 + normal(random)));
  std::optional<ChangeDetector::Rise> rise;
  std::uint64_t since = 0;
  while (!rise) {
    rise = detector.add(4 + normal(random));
    ++since;
  }
  CHECK(rise->before == doctest::Approx(3).epsilon(0.03));
  CHECK(rise->after == doctest::Approx(4).epsilon(0.1));
  CHECK(rise->since == detector.width());
  CHECK(rise->since <= since + 64);
  CHECK(rise->since >= 64);
}

TEST_CASE("a fall is no alarm, but a rise is measured from there") {
  Random random(6);
  ChangeDetector detector;
  for (int i = 0; i < 20000; ++i) REQUIRE_FALSE(detector.add(5 + normal(random)));
  for (int i = 0; i < 2000; ++i) REQUIRE_FALSE(detector.add(normal(random)));
  CHECK(detector.width() <= 2064);
  bool noticed = false;
  for (int i = 0; i < 200 && !noticed; ++i) noticed = detector.add(1 + normal(random)).has_value();
  CHECK(noticed);
}

TEST_CASE("one giant is no change") {
  Random random(7);
  ChangeDetector detector;
  for (int i = 0; i < 10000; ++i) CHECK_FALSE(detector.add(i == 9000 ? 1e9 : normal(random)));
}

TEST_CASE("equal numbers are no change, and the first that differ are") {
  ChangeDetector detector;
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(detector.add(2));
  int alarms = 0;
  for (int i = 0; i < 200; ++i) alarms += detector.add(3) ? 1 : 0;
  CHECK(alarms == 1);
}

TEST_CASE("a saved detector goes on where it stopped") {
  Random random(8);
  ChangeDetector detector;
  for (int i = 0; i < 1003; ++i) detector.add(normal(random));
  State state;
  state.begin();
  detector.save(state, "drift");
  state.finish();
  ChangeDetector restored;
  REQUIRE(restored.restore(state, "drift").has_value());
  for (int i = 0; i < 500; ++i) {
    const double x = 1 + normal(random);
    CHECK(restored.add(x).has_value() == detector.add(x).has_value());
  }
  CHECK(restored.mean() == detector.mean());
  CHECK(restored.width() == detector.width());
}

TEST_CASE("a state with counts that no stream reaches is refused") {
  for (const double count : {-1.0, 0x1p51, std::numeric_limits<double>::quiet_NaN()}) {
    State state;
    state.begin();
    const auto buckets = state.put<double>("drift.buckets", 3);
    buckets[0] = count;
    buckets[1] = buckets[2] = 1;
    state.put_number("drift.partial", 0.0);
    state.put_number("drift.numbers", std::uint64_t{32});
    state.finish();
    ChangeDetector detector;
    const Status status = detector.restore(state, "drift");
    REQUIRE_FALSE(status.has_value());
    CHECK(status.error().code == ErrorCode::kCorrupt);
  }
}

}  // namespace change_detector_test
