#include "stats/feature_map.h"

#include <doctest/doctest.h>
#include <limits>
#include <vector>

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

TEST_CASE("dates are a number and have an indicator for each part that was learned from") {
  FeatureMap map(3);
  map.make_date(1, DatePart::kWeekday | DatePart::kHour);
  CHECK_FALSE(map.is_plain());
  CHECK(map.is_date(1));
  CHECK_FALSE(map.is_category(1));
  CHECK(map.has_indicators(1));
  CHECK(map.categories() == 0);
  CHECK(map.is_feature(1));                           // the number of days
  const FeatureCodes codes = map.codes(1, 7.0 / 24);  // a Thursday
  REQUIRE(codes.count == 2);
  CHECK(map.find_or_add(1, codes.codes[0]) == 3);
  CHECK(map.find_or_add(1, codes.codes[1]) == 4);
  CHECK(map.is_indicator(3));
  CHECK(map.is_feature(3));
  CHECK(map.owner(4) == 1);
  CHECK(date_part_name(map.code(3)) == "Thursday");
  CHECK(date_part_name(map.code(4)) == "hour 7");
  CHECK(map.codes(1, 1e300).count == 0);
}

TEST_CASE("a map of dates and categories comes back from its state, and refuses one that does not fit") {
  FeatureMap map(4);
  map.make_date(3, DatePart::kMonth);
  map.make_category(1);
  map.make_date(0, DatePart::kAll);
  map.find_or_add(3, 8);
  map.find_or_add(1, 0);
  const auto state_of = [](const FeatureMap& saved) {
    State state;
    state.begin();
    saved.save(state);
    state.finish();
    return state;
  };
  const State state = state_of(map);
  FeatureMap restored(4);
  REQUIRE(restored.restore(state).has_value());
  CHECK(restored.date_parts(0) == DatePart::kAll);
  CHECK(restored.date_parts(3) == DatePart::kMonth);
  CHECK(restored.is_category(1));
  CHECK(restored.categories() == 1);
  CHECK(restored.slots() == 6);
  CHECK(restored.indicator(3, 8) == 4);
  const State again = state_of(restored);
  for (const char* const name : {"features.categories", "features.dates", "features.indicators"})
    CHECK(state.find(name)->bytes == again.find(name)->bytes);

  CHECK(FeatureMap(3).restore(state).has_error());
  for (const std::vector<std::uint32_t>& wrong :
       {std::vector<std::uint32_t>{0, 0}, {0, 8}, {4, 1}, {0, 1, 0, 1}}) {
    State corrupt;
    corrupt.begin();
    corrupt.put_copy<std::uint32_t>("features.categories", {});
    corrupt.put_copy<std::uint32_t>("features.dates", wrong);
    corrupt.put_copy<std::uint32_t>("features.indicators", {});
    corrupt.finish();
    CHECK(FeatureMap(4).restore(corrupt).has_error());
  }
  State beyond;  // a code that no date has
  beyond.begin();
  const std::uint32_t dates[] = {0, DatePart::kAll};
  const std::uint32_t indicators[] = {0, kDateCodes};
  beyond.put_copy<std::uint32_t>("features.categories", {});
  beyond.put_copy<std::uint32_t>("features.dates", dates);
  beyond.put_copy<std::uint32_t>("features.indicators", indicators);
  beyond.finish();
  CHECK(FeatureMap(4).restore(beyond).has_error());
}

TEST_CASE("dates that nothing was learned of can be taken back") {
  FeatureMap map(3);
  map.make_date(1, DatePart::kHour);
  map.make_category(2);
  map.forget(1);
  CHECK_FALSE(map.has_indicators(1));
  CHECK(map.is_category(2));
  CHECK(map.categories() == 1);
  map.make_date(1, DatePart::kMonth);
  map.find_or_add(1, 7);
  map.forget(1);
  CHECK(map.date_parts(1) == DatePart::kMonth);
  map.forget(2);
  CHECK_FALSE(map.has_indicators(2));
  CHECK(map.indicator(1, 7) == 3);
}

}  // namespace
}  // namespace glimpse::feature_map_test
