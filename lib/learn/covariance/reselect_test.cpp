#include "learn/covariance/reselect.h"

#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"

namespace reselect_test {

using namespace glimpse;

namespace {

PairMoments four_attributes() {
  PairMoments moments(4);
  Random random(1);
  for (int n = 0; n < 50; ++n) {
    const double label = random.uniform();
    const Attribute first = static_cast<Attribute>(random.below(2));
    const Attribute seen[] = {first, 2, 3};
    const double values[] = {random.uniform(), random.uniform() + label, random.uniform()};
    moments.add(seen, values, label, 1);
  }
  return moments;
}

}  // namespace

TEST_CASE("attributes that stay keep what was known of them, those that enter know nothing") {
  const PairMoments before = four_attributes();
  const std::size_t from[] = {1, kNewSlot, 2, 3, kNewSlot};
  const PairMoments after = reselect(before, from);
  REQUIRE(after.dimension() == 5);
  CHECK(after.label().weight == before.label().weight);
  CHECK(after.label().reference == before.label().reference);
  for (std::size_t i = 0; i < 5; ++i) {
    const bool known = from[i] != kNewSlot;
    CHECK(after[i].weight() == (known ? before[from[i]].weight() : 0));
    CHECK(after[i].square == (known ? before[from[i]].square : 0));
    CHECK(after[i].reference == (known ? before[from[i]].reference : 0));
    for (std::size_t j = i + 1; j < 5; ++j) {
      const bool both = known && from[j] != kNewSlot;
      CHECK(after.pair(i, j).weight == (both ? before.pair(from[i], from[j]).weight : 0));
      CHECK(after.pair(i, j).product == (both ? before.pair(from[i], from[j]).product : 0));
    }
  }
}

TEST_CASE("none may be left, and some come again") {
  const PairMoments none = reselect(four_attributes(), {});
  CHECK(none.dimension() == 0);
  CHECK(none.label().weight == 50);
  const std::size_t from[] = {kNewSlot, kNewSlot};
  const PairMoments two = reselect(none, from);
  CHECK(two.dimension() == 2);
  CHECK(two.label().weight == 50);
  CHECK(two.pair(0, 1).weight == 0);
}

}  // namespace reselect_test
