#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"
#include "stats/change_detector.h"
#include "stats/loss_like_test_support.h"

namespace pooled_change_test {

using namespace glimpse;
using namespace glimpse::loss_like_test_support;

namespace {

struct Streams {
  std::vector<ChangeDetector> detectors;
  explicit Streams(std::size_t count) : detectors(count) {}

  template <class Value>
  void add(const Value& value) {
    for (std::size_t s = 0; s < detectors.size(); ++s) (void)detectors[s].add(value(s), Watch::kTogether);
  }
  std::optional<PooledRise> judge() const {
    std::vector<PooledStream> all;
    for (const ChangeDetector& detector : detectors) all.push_back({&detector});
    return rose_together(all);
  }
};

// How many numbers a stream needs until a rise from 0 to `after` of the first `changed` of `count` is seen.
int delay(std::size_t count, std::size_t changed, double after, std::uint64_t seed) {
  Random random(seed);
  Streams streams(count);
  for (int n = 0; n < 8000; ++n) streams.add([&](std::size_t) { return normal(random); });
  REQUIRE_FALSE(streams.judge());
  for (int n = 1; n <= 20000; ++n) {
    streams.add([&](std::size_t s) { return (s < changed ? after : 0) + normal(random); });
    if (n % 8 == 0 && streams.judge()) return n;
  }
  return 20001;
}

double mean_delay(std::size_t count, std::size_t changed, double after) {
  constexpr int kSeeds = 5;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) sum += delay(count, changed, after, seed);
  return sum / kSeeds;
}

}  // namespace

TEST_CASE("pooled change: one stream is judged as its detector judges it") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    ChangeDetector alone;
    Streams one(1);
    const bool is_heavy = seed % 2 == 0;
    std::optional<ChangeDetector::Rise> rise;
    for (int n = 1; n <= 20000 && !rise; ++n) {
      // A fall on the way, which both forget.
      const double level = n > 12000 ? 4 : n > 6000 ? 0 : 2;
      const double x = level + (is_heavy ? heavy(random) : normal(random));
      rise = alone.add(x);
      one.add([&](std::size_t) { return x; });
      if (n % 32 != 0) continue;
      const auto together = one.judge();
      CHECK(together.has_value() == rise.has_value());
      if (!rise || !together) continue;
      CHECK(together->before == doctest::Approx(rise->before));
      CHECK(together->after == doctest::Approx(rise->after));
      CHECK(together->since == doctest::Approx(static_cast<double>(rise->since)));
    }
    CHECK(rise.has_value());
  }
}

TEST_CASE("pooled change: streams that rise together need about 1/P of what one alone needs") {
  const double alone = mean_delay(1, 1, 0.3);
  CHECK(alone > 300);
  CHECK(mean_delay(4, 4, 0.3) < 1.4 * alone / 4);
  CHECK(mean_delay(16, 16, 0.3) < 1.5 * alone / 16);
}

TEST_CASE("pooled change: a rise of one stream of P is seen after about P times its own") {
  const double alone = mean_delay(1, 1, 0.5);
  const double of_four = mean_delay(4, 1, 0.5);
  CHECK(of_four > 2 * alone);
  CHECK(of_four < 6 * alone);
}

TEST_CASE("pooled change: a million numbers of streams with other levels, rates and tails give no alarm") {
  for (const std::size_t count : {4, 16}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Random random(seed);
      Streams streams(count);
      int alarms = 0;
      const int each = 1'000'000 / static_cast<int>(count);
      std::vector<PooledStream> all;
      for (std::size_t s = 0; s < count; ++s)
        all.push_back({&streams.detectors[s], s % 2 == 0 ? 1.0 : 0.25, s % 3 == 0 ? 4.0 : 1.0});
      for (int n = 1; n <= each; ++n) {
        for (std::size_t s = 0; s < count; ++s) {
          if (s % 2 == 1 && n % 4 != 0) continue;
          const double x = static_cast<double>(s) + (s % 4 < 2 ? heavy(random) : normal(random));
          (void)streams.detectors[s].add(x / all[s].scale, Watch::kTogether);
        }
        if (n % 64 == 0) alarms += rose_together(all) ? 1 : 0;
      }
      CHECK(alarms == 0);
    }
  }
}

TEST_CASE("pooled change: a new stream of another level is no change, nor one giant, nor equal numbers") {
  Random random(5);
  Streams streams(3);
  for (int n = 0; n < 5000; ++n) {
    // The second begins late, a hundred times as high; of the third all numbers are the same.
    (void)streams.detectors[0].add(normal(random), Watch::kTogether);
    if (n >= 4500) (void)streams.detectors[1].add(100 + normal(random), Watch::kTogether);
    (void)streams.detectors[2].add(n == 4800 ? 1e9 : 7, Watch::kTogether);
    if (n % 16 == 0) CHECK_FALSE(streams.judge());
  }
}

TEST_CASE("pooled change: one giant in the newest mean of one of many streams is no change") {
  Random random(6);
  Streams streams(16);
  for (int n = 0; n < 4096; ++n) streams.add([&](std::size_t) { return normal(random); });
  for (int n = 0; n < 16; ++n) {
    streams.add([&](std::size_t s) { return n == 3 && s == 5 ? 1e9 : normal(random); });
    CHECK_FALSE(streams.judge());
  }
}

TEST_CASE("pooled change: a fall is no alarm, and a rise is measured from there") {
  Random random(7);
  Streams streams(8);
  for (int n = 0; n < 4000; ++n) streams.add([&](std::size_t) { return 5 + normal(random); });
  // Too few for one detector to forget what was before.
  for (int n = 0; n < 56; ++n) {
    streams.add([&](std::size_t) { return normal(random); });
    CHECK_FALSE(streams.judge());
  }
  std::optional<PooledRise> rise;
  for (int n = 0; n < 100 && !rise; ++n) {
    streams.add([&](std::size_t) { return 2 + normal(random); });
    rise = streams.judge();
  }
  REQUIRE(rise.has_value());
  CHECK(rise->before < 1);
  CHECK(rise->since < 100);
}

TEST_CASE("pooled change: streams without numbers are nothing to judge") {
  CHECK_FALSE(rose_together({}));
  CHECK_FALSE(Streams(3).judge());
}

}  // namespace pooled_change_test
