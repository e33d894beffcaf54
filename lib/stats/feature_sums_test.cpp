#include "stats/feature_sums.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"
#include "stats/pair_snapshot.h"

namespace glimpse::feature_sums_test {
namespace {

struct Example {
  std::vector<Attribute> attributes;
  std::vector<double> values;
  double label;
  double weight;
};

// Attribute 0 and 2 are numbers, 1 has three categories and 3 has two.
constexpr std::size_t kCodes[] = {0, 3, 0, 2};

std::vector<Example> examples(bool whole) {
  Random random(5);
  std::vector<Example> all;
  for (int n = 0; n < 200; ++n) {
    Example e{{}, {}, 0, 1 + static_cast<double>(random.below(3))};
    for (Attribute i = 0; i < 4; ++i) {
      const double value = kCodes[i] > 0 ? static_cast<double>(random.below(kCodes[i]))
                                         : 3 + static_cast<double>(random.below(1000)) / 250;
      e.label += value;
      if (!whole && random.below(3) == 0) continue;
      e.attributes.push_back(i);
      e.values.push_back(value);
    }
    all.push_back(e);
  }
  return all;
}

// As a learner adds an example: a 1 for what was seen, and a 1 for what it was.
void add(PairMoments& moments, FeatureMap& map, const Example& e) {
  std::vector<Attribute> slots = e.attributes;
  std::vector<double> values = e.values;
  std::vector<Attribute> ones;
  for (std::size_t a = 0; a < e.attributes.size(); ++a) {
    if (!map.is_category(e.attributes[a])) continue;
    values[a] = 1;
    ones.push_back(map.find_or_add(e.attributes[a], e.values[a]));
  }
  std::sort(ones.begin(), ones.end());
  slots.insert(slots.end(), ones.begin(), ones.end());
  values.resize(slots.size(), 1.0);
  moments.add(slots, values, e.label, e.weight);
}

FeatureMap map_of_all() {
  FeatureMap map(4);
  map.make_category(1);
  map.make_category(3);
  for (unsigned code = 0; code < 3; ++code) map.find_or_add(1, code);
  for (unsigned code = 0; code < 2; ++code) map.find_or_add(3, code);
  return map;
}

// The same one-hot by hand, all indicators of an attribute seen together: columns 0, 1 numbers (attributes 0
// and 2), then those of attribute 1 and 3.
void add_by_hand(PairMoments& moments, const Example& e) {
  std::vector<Attribute> columns;
  std::vector<double> values;
  const auto take = [&](Attribute attribute, Attribute first) {
    for (std::size_t a = 0; a < e.attributes.size(); ++a) {
      if (e.attributes[a] != attribute) continue;
      const std::size_t count = kCodes[attribute] > 0 ? kCodes[attribute] : 1;
      for (std::size_t c = 0; c < count; ++c) {
        columns.push_back(first + static_cast<Attribute>(c));
        values.push_back(kCodes[attribute] == 0                  ? e.values[a]
                         : e.values[a] == static_cast<double>(c) ? 1
                                                                 : 0);
      }
    }
  };
  take(0, 0);
  take(2, 1);
  take(1, 2);
  take(3, 5);
  moments.add(columns, values, e.label, e.weight);
}

void check_same(bool whole) {
  FeatureMap map = map_of_all();
  PairMoments moments(map.room());
  PairMoments by_hand(7);
  for (const Example& e : examples(whole)) {
    add(moments, map, e);
    add_by_hand(by_hand, e);
  }
  const std::size_t slots[] = {0,
                               2,
                               map.indicator(1, 0),
                               map.indicator(1, 1),
                               map.indicator(1, 2),
                               map.indicator(3, 0),
                               map.indicator(3, 1)};
  const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-12); };
  for (std::size_t i = 0; i < 7; ++i) {
    const AttributeSums ours = feature_sums(moments, map, slots[i]);
    const AttributeSums theirs = by_hand[i];
    CHECK(ours.weight() == theirs.weight());
    CHECK(ours.mean() == near(theirs.mean()));
    CHECK(ours.variance() == near(theirs.variance()));
    CHECK(ours.largest == theirs.largest);
    for (std::size_t j = i + 1; j < 7; ++j) {
      CHECK(feature_pair(moments, map, slots[i], slots[j]).weight == by_hand.pair(i, j).weight);
      CHECK(feature_co_moment(moments, map, slots[i], slots[j], 0.25, 0.5) ==
            near(by_hand.co_moment(i, j, 0.25, 0.5)));
    }
  }
  PairSnapshot features;
  features.take(moments, true, map);
  PairSnapshot columns;
  columns.take(by_hand, true);
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t half = 0; half < 2; ++half)
      CHECK(features.label_co_moment(slots[i], half) == near(columns.label_co_moment(i, half)));
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t j = i + 1; j < 7; ++j) {
      CHECK(features.weight(slots[i], slots[j]) == columns.weight(i, j));
      CHECK(std::abs(features.co_moment(slots[i], slots[j]) - columns.co_moment(i, j)) < 1e-4);
    }
  CHECK(features[1].weight() == 0);  // that it was seen is no feature
  CHECK(features.weight(1, 2) == 0);
}

TEST_CASE("the sums of features are those of the same data one-hot by hand, whole examples") {
  check_same(true);
}

TEST_CASE("and so they are where an example shows some of its attributes") { check_same(false); }

TEST_CASE("what was seen before a category first came counts for it") {
  FeatureMap map(1);
  map.make_category(0);
  map.find_or_add(0, 0);
  PairMoments moments(map.room());
  const Attribute first[] = {0, 1};
  const double ones[] = {1, 1};
  moments.add(first, ones, 2, 1);
  moments.add(first, ones, 4, 1);
  const std::uint32_t late = map.find_or_add(0, 1);
  CHECK(feature_sums(moments, map, late).weight() == 2);
  CHECK(feature_sums(moments, map, late).mean() == 0);
  const Attribute second[] = {0, late};
  moments.add(second, ones, 9, 1);
  CHECK(feature_sums(moments, map, late).weight() == 3);
  CHECK(feature_sums(moments, map, late).mean() == doctest::Approx(1.0 / 3));
  CHECK(feature_pair(moments, map, 1, late).weight == 3);
  CHECK(feature_pair(moments, map, 1, late).product == 0);
}

}  // namespace
}  // namespace glimpse::feature_sums_test
