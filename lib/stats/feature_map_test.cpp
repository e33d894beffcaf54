#include "stats/feature_map.h"

#include <doctest/doctest.h>
#include <limits>

namespace glimpse::feature_map_test {
namespace {

TEST_CASE("a map without categories is plain, and slots are attributes") {
  const FeatureMap map(3);
  CHECK(map.is_plain());
  CHECK(map.slots() == 3);
  CHECK(map.room() == 3);
  CHECK(map.is_feature(2));
  CHECK_FALSE(map.is_category(2));
}

TEST_CASE("indicators have the slots behind the attributes, in the order in which they were learned") {
  FeatureMap map(3);
  map.make_category(1);
  map.make_category(2);
  CHECK(map.find_or_add(2, 0) == 3);
  CHECK(map.find_or_add(1, 1) == 4);  // code 0 was not learned from yet
  CHECK(map.find_or_add(1, 0) == 5);
  CHECK(map.find_or_add(1, 1) == 4);
  CHECK(map.slots() == 6);
  CHECK(map.indicator(1, 0) == 5);
  CHECK(map.indicator(1, 7) == FeatureMap::kNone);
  CHECK(map.owner(4) == 1);
  CHECK(map.code(4) == 1);
  CHECK(map.is_feature(0));
  CHECK_FALSE(map.is_feature(1));  // it was seen: no feature
  CHECK(map.is_feature(5));
  CHECK_FALSE(map.is_feature(6));
}

TEST_CASE("what is no code has no indicator") {
  FeatureMap map(1);
  map.make_category(0);
  for (const double wrong :
       {-1.0, 0.5, 1e9, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    CHECK(map.find_or_add(0, wrong) == FeatureMap::kNone);
  CHECK(map.slots() == 1);
}

TEST_CASE("room grows by steps, and never beyond what is allowed") {
  FeatureMap map(2, 2 + 8);
  map.make_category(0);
  CHECK(map.room() == 2);
  for (unsigned code = 0; code < 8; ++code) {
    CHECK(map.find_or_add(0, code) == 2 + code);
    CHECK(map.room() == 10);
  }
  CHECK(map.find_or_add(0, 8) == FeatureMap::kNone);
  FeatureMap large(0 + 1);
  large.make_category(0);
  std::size_t steps = 0;
  std::size_t room = 0;
  for (unsigned code = 0; code < 10000; ++code) {
    large.find_or_add(0, code);
    CHECK(large.room() >= large.slots());
    CHECK(large.room() <= large.slots() + large.slots() / 4 + 8);
    if (large.room() != room) ++steps;
    room = large.room();
  }
  CHECK(steps < 50);
}

TEST_CASE("a map comes back from its state; one without categories puts nothing") {
  State state;
  state.begin();
  FeatureMap(3).save(state);
  CHECK(state.tensors().empty());
  FeatureMap map(3);
  map.make_category(2);
  map.make_category(0);
  map.find_or_add(0, 1);
  map.find_or_add(2, 0);
  map.save(state);
  state.finish();
  FeatureMap restored(3);
  REQUIRE(restored.restore(state).has_value());
  CHECK(restored.slots() == map.slots());
  CHECK(restored.indicator(0, 1) == 3);
  CHECK(restored.indicator(2, 0) == 4);
  CHECK(restored.indicator(0, 0) == FeatureMap::kNone);
  FeatureMap small(2);
  CHECK(small.restore(state).has_error());
}

}  // namespace
}  // namespace glimpse::feature_map_test
