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

// Dates: attribute 0 is a number, 1 a date with day of week and hour, 2 of two categories, 3 another date
// with its month.

struct Dated {
  std::vector<double> x;  // of all four attributes
  double label;
};

std::vector<Dated> dated(int count) {
  Random random(11);
  std::vector<Dated> all;
  for (int n = 0; n < count; ++n) {
    const double when = 20000 + static_cast<double>(random.below(24 * 30)) / 24;
    const double other = 20000 + static_cast<double>(random.below(700));
    const double kind = static_cast<double>(random.below(2));
    const double number = random.uniform() + kind;
    all.push_back({{number, when, kind, other}, number + std::fmod(when, 7) + kind * std::fmod(other, 3)});
  }
  return all;
}

FeatureMap map_of_dates() {
  FeatureMap map(4);
  map.make_date(1, DatePart::kWeekday | DatePart::kHour);
  map.make_category(2);
  map.make_date(3, DatePart::kMonth);
  for (unsigned code = 0; code < 7; ++code) map.find_or_add(1, code);
  for (unsigned code = 19; code < 43; ++code) map.find_or_add(1, code);
  for (unsigned code = 0; code < 2; ++code) map.find_or_add(2, code);
  for (unsigned code = 7; code < 19; ++code) map.find_or_add(3, code);
  return map;
}

// As a learner adds what an example shows, here the attributes in `seen`, ascending.
void add_dated(PairMoments& moments, FeatureMap& map, const Dated& e, const std::vector<Attribute>& seen,
               double weight) {
  std::vector<Attribute> slots;
  std::vector<double> values;
  std::vector<Attribute> ones;
  for (const Attribute i : seen) {
    slots.push_back(i);
    values.push_back(map.is_category(i) ? 1 : e.x[i]);
    if (!map.has_indicators(i)) continue;
    for (const double code : map.codes(i, e.x[i])) ones.push_back(map.find_or_add(i, code));
  }
  std::sort(ones.begin(), ones.end());
  slots.insert(slots.end(), ones.begin(), ones.end());
  values.resize(slots.size(), 1.0);
  moments.add(slots, values, e.label, weight);
}

// What a slot's feature is of an example.
double feature_of(const FeatureMap& map, const Dated& e, std::size_t slot) {
  const std::size_t i = map.owner(slot);
  if (slot < map.attributes()) return e.x[i];
  const FeatureCodes codes = map.codes(i, e.x[i]);
  return std::count(codes.begin(), codes.end(), static_cast<double>(map.code(slot))) > 0 ? 1 : 0;
}

TEST_CASE("the sums of dates are those counted by hand") {
  FeatureMap map(1);
  map.make_date(0, DatePart::kWeekday | DatePart::kHour);
  PairMoments moments(12);
  // Thursday 0 h, Thursday 6 h, Friday 6 h with labels 1, 2, 4: slots 1 (Thu), 2 (0 h), 3 (6 h), 4 (Fri).
  add_dated(moments, map, {{0}, 1}, {0}, 1);
  add_dated(moments, map, {{0.25}, 2}, {0}, 1);
  add_dated(moments, map, {{1.25}, 4}, {0}, 1);
  REQUIRE(map.slots() == 5);
  CHECK(map.indicator(0, 4) == 4);
  CHECK(feature_sums(moments, map, 0).mean() == doctest::Approx(0.5));
  const double means[] = {0.5, 2.0 / 3, 1.0 / 3, 2.0 / 3, 1.0 / 3};
  for (std::size_t slot = 0; slot < 5; ++slot) {
    CHECK(feature_sums(moments, map, slot).weight() == 3);
    CHECK(feature_sums(moments, map, slot).mean() == doctest::Approx(means[slot]));
  }
  const auto product = [&](std::size_t i, std::size_t j) {
    return feature_co_moment(moments, map, i, j, 0, 0);
  };
  CHECK(product(0, 1) == doctest::Approx(0.25));  // days · Thursday
  CHECK(product(0, 3) == doctest::Approx(1.5));   // days · 6 h
  CHECK(product(1, 2) == doctest::Approx(1));     // Thursday · 0 h
  CHECK(product(1, 3) == doctest::Approx(1));     // Thursday · 6 h
  CHECK(product(1, 4) == 0);                      // Thursday · Friday
  CHECK(product(2, 3) == 0);                      // 0 h · 6 h
  CHECK(product(3, 4) == doctest::Approx(1));     // 6 h · Friday
  CHECK(feature_pair(moments, map, 0, 1).weight == 3);
  CHECK(feature_pair(moments, map, 1, 3).weight == 3);
  // Σ (feature − mean)(label − mean) of Thursday: 1 + 2 − 2/3·7.
  PairSnapshot snapshot;
  snapshot.take(moments, true, map);
  CHECK(snapshot.label_co_moment(1, 0) + snapshot.label_co_moment(1, 1) == doctest::Approx(3 - 14.0 / 3));
}

TEST_CASE("fast sums of dates are those of a naive loop, where examples show some attributes") {
  FeatureMap map = map_of_dates();
  PairMoments moments(map.room());
  Random random(3);
  struct Shown {
    Dated example;
    std::vector<Attribute> seen;
    double weight;
  };
  std::vector<Shown> all;
  for (const Dated& e : dated(300)) {
    std::vector<Attribute> seen;
    for (Attribute i = 0; i < 4; ++i)
      if (random.below(3) > 0) seen.push_back(i);
    all.push_back({e, seen, 1 + static_cast<double>(random.below(2))});
    add_dated(moments, map, e, seen, all.back().weight);
  }
  for (std::size_t i = 0; i < map.slots(); ++i) {
    if (!map.is_feature(i)) continue;
    for (std::size_t j = i + 1; j < map.slots(); ++j) {
      if (!map.is_feature(j)) continue;
      double weight = 0;
      double product = 0;
      const double a = i == 0 ? 0.5 : i < 4 ? 20010 : 0.25;
      const double b = j < 4 ? 20010 : 0.5;
      for (const auto& [e, seen, w] : all) {
        if (std::count(seen.begin(), seen.end(), map.owner(i)) == 0) continue;
        if (std::count(seen.begin(), seen.end(), map.owner(j)) == 0) continue;
        weight += w;
        product += w * (feature_of(map, e, i) - a) * (feature_of(map, e, j) - b);
      }
      CAPTURE(i);
      CAPTURE(j);
      CHECK(feature_pair(moments, map, i, j).weight == weight);
      CHECK(feature_co_moment(moments, map, i, j, a, b) == doctest::Approx(product).epsilon(1e-9).scale(1));
    }
  }
}

// Two of four attributes are shown, with chances that differ. Each product over the chance that both its
// attributes were shown, of one attribute the chance of it alone, is unbiased for that of whole examples: of
// more than 250 pairs of features that vary none is off by 5 standard errors: by chance one is in 6,000
// tries.
TEST_CASE("second moments of dates from a few attributes are unbiased") {
  FeatureMap map = map_of_dates();
  const std::vector<Dated> all = dated(40);
  const std::size_t sets[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  const double chances[] = {0.1, 0.2, 0.05, 0.3, 0.15, 0.2};
  const auto chance = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t s = 0; s < 6; ++s) {
      const auto has = [&](std::size_t i) { return sets[s][0] == i || sets[s][1] == i; };
      if (has(a) && has(b)) sum += chances[s];
    }
    return sum;
  };
  constexpr int kRuns = 400;
  const std::size_t slots = map.slots();
  std::vector<double> sums(slots * slots);
  std::vector<double> squares(slots * slots);
  const auto reference = [&](std::size_t i) { return i == 0 ? 0.5 : i < 4 ? 20015.0 : 0.0; };
  Random random(9);
  for (int run = 0; run < kRuns; ++run) {
    PairMoments moments(map.room());
    for (const Dated& e : all) {
      double left = random.uniform();
      std::size_t s = 0;
      while (s < 5 && left >= chances[s]) left -= chances[s++];
      add_dated(moments, map, e, {static_cast<Attribute>(sets[s][0]), static_cast<Attribute>(sets[s][1])}, 1);
    }
    for (std::size_t i = 0; i < slots; ++i)
      for (std::size_t j = i + 1; j < slots; ++j) {
        if (!map.is_feature(i) || !map.is_feature(j)) continue;
        const double estimate = feature_co_moment(moments, map, i, j, reference(i), reference(j)) /
                                chance(map.owner(i), map.owner(j));
        sums[i * slots + j] += estimate / kRuns;
        squares[i * slots + j] += estimate * estimate / kRuns;
      }
  }
  std::size_t checked = 0;
  for (std::size_t i = 0; i < slots; ++i)
    for (std::size_t j = i + 1; j < slots; ++j) {
      if (!map.is_feature(i) || !map.is_feature(j)) continue;
      double truth = 0;
      for (const Dated& e : all)
        truth += (feature_of(map, e, i) - reference(i)) * (feature_of(map, e, j) - reference(j));
      const double mean = sums[i * slots + j];
      const double error = std::sqrt(std::max(squares[i * slots + j] - mean * mean, 0.0) / kRuns);
      CAPTURE(i);
      CAPTURE(j);
      CHECK(std::abs(mean - truth) <= 5 * error + 1e-6);
      checked += error > 0 ? 1 : 0;
    }
  CHECK(checked > 250);
}

}  // namespace
}  // namespace glimpse::feature_sums_test
