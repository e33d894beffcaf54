#include "sampling/sampling_spread.h"

#include <doctest/doctest.h>
#include <vector>

namespace sampling_spread_test {

using namespace glimpse;

namespace {
SamplingSpread of(const std::vector<double>& chances) {
  return spread_of(chances.size(), [&](Attribute i) { return chances[i]; });
}
}  // namespace

TEST_CASE("a uniform distribution has ratio 1 and as many effective attributes as there are") {
  const SamplingSpread spread = of({.25, .25, .25, .25});
  CHECK(spread.ratio == 1);
  CHECK(spread.effective == 4);
  CHECK_FALSE(spread.prefers(1000));
}

TEST_CASE("the effective number is 1 over the sum of squared chances, whatever the factor") {
  CHECK(of({.5, .25, .25}).effective == doctest::Approx(1 / (.25 + .0625 + .0625)));
  CHECK(of({2, 1, 1}).effective == doctest::Approx(of({.5, .25, .25}).effective));
  CHECK(of({2, 1, 1}).ratio == 2);
  CHECK(of({2, 1, 1}).prefers(1000));
  CHECK_FALSE(of({2, 1, 1}).prefers(4));  // may be chance
}

TEST_CASE("attributes that are never drawn do not count") {
  const SamplingSpread spread = of({0, .5, 0, .5});
  CHECK(spread.ratio == 1);
  CHECK(spread.effective == 2);
  CHECK(spread.possible == 2);
  CHECK_FALSE(spread.prefers(1000));
}

TEST_CASE("of no attribute at all nothing is preferred") {
  CHECK_FALSE(of({}).prefers(1000));
  CHECK_FALSE(of({0, 0}).prefers(1000));
  CHECK(of({0}).ratio == 1);
}

}  // namespace sampling_spread_test
