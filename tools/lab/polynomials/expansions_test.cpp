#include <doctest/doctest.h>
#include <map>
#include <vector>

#include "lab/polynomials/bigrams.h"
#include "lab/polynomials/full_expansion.h"

namespace glimpse::expansions_test {
namespace {

std::map<std::vector<Attribute>, double> features_of(FullExpansion& expansion,
                                                     const std::vector<Entry>& entries) {
  std::vector<FeatureValue> features;
  expansion.expand(entries, features);
  std::map<std::vector<Attribute>, double> result;
  for (const FeatureValue& feature : features) {
    const auto factors = expansion.monomials().factors(feature.slot);
    const bool is_new = result.emplace(std::vector(factors.begin(), factors.end()), feature.value).second;
    CHECK(is_new);
  }
  return result;
}

TEST_CASE("quad and cubic have each monomial once, with its value") {
  FullExpansion quad(2, {false, false, false}, 1000);
  CHECK(
      features_of(quad, {{0, 2}, {2, 5}}) ==
      std::map<std::vector<Attribute>, double>{{{0}, 2}, {{2}, 5}, {{0, 0}, 4}, {{0, 2}, 10}, {{2, 2}, 25}});
  FullExpansion cubic(3, std::vector<bool>(5, false), 1000);
  const std::vector<Entry> all{{0, 2}, {1, 3}, {2, 5}, {3, 7}, {4, 11}};
  const auto features = features_of(cubic, all);
  CHECK(features.size() == 55);  // C(5 + 3, 3) − 1
  CHECK(features.at({0, 2, 4}) == 110);
  CHECK(features.at({1, 1, 3}) == 63);
  std::vector<FeatureValue> again;
  cubic.expand_known(all, again);
  CHECK(again.size() == 55);
}

TEST_CASE("the square of an attribute that is 0 or one other number is no feature") {
  FullExpansion cubic(3, {true, false}, 1000);
  const auto features = features_of(cubic, {{0, 1}, {1, 3}});
  CHECK(features == std::map<std::vector<Attribute>, double>{
                        {{0}, 1}, {{1}, 3}, {{0, 1}, 3}, {{1, 1}, 9}, {{0, 1, 1}, 9}, {{1, 1, 1}, 27}});
}

TEST_CASE("products that find no room, or are beyond all numbers, are left out") {
  FullExpansion quad(2, {false, false}, 1);
  CHECK(features_of(quad, {{0, 2}, {1, 3}}).size() == 3);
  CHECK(quad.monomials().lacking() > 0);
  FullExpansion wide(2, {false, false}, 10);
  CHECK(features_of(wide, {{0, 1e-200}, {1, 1e200}}).size() == 3);
}

TEST_CASE("neighbours have a pair each, numbered as they come") {
  Bigrams bigrams(10, 3);
  std::vector<Entry> entries{{1, 2}, {4, 3}, {9, 5}};
  bigrams.extend(entries, true);
  REQUIRE(entries.size() == 5);
  CHECK(entries[3].attribute == 10);
  CHECK(entries[3].value == 6);
  CHECK(entries[4].attribute == 11);
  CHECK(entries[4].value == 15);
  entries = {{4, 1}, {9, 1}};
  bigrams.extend(entries, false);
  CHECK(entries.back().attribute == 11);
  entries = {{1, 1}, {9, 1}};
  bigrams.extend(entries, false);  // unknown, and not learned from
  CHECK(entries.size() == 2);
  bigrams.close();
  bigrams.extend(entries, true);
  CHECK(entries.size() == 2);
  CHECK(bigrams.lacking() == 1);
  CHECK(bigrams.dimension() == 12);
}

}  // namespace
}  // namespace glimpse::expansions_test
