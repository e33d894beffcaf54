#include "learn/products/product_features.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

namespace product_features_test {

using namespace glimpse;

namespace {

std::vector<std::uint32_t> factors_of(const ProductFeatures& features, std::uint32_t slot) {
  const auto factors = features.factors(slot);
  return {factors.begin(), factors.end()};
}

struct Expanded {
  std::vector<Attribute> slots;
  std::vector<double> values;
};

Expanded expand(const ProductFeatures& features, const std::vector<Attribute>& attributes,
                const std::vector<double>& values, const std::vector<double>& centres) {
  std::vector<ProductFeatures::Member> members;
  for (std::uint32_t a = 0; a < attributes.size(); ++a)
    if (const auto place = features.product_slots().place(attributes[a]); place != ProductSlots::kNone)
      members.push_back({place, a});
  std::ranges::sort(members, {}, &ProductFeatures::Member::place);
  Expanded result;
  features.expand(attributes, values, members, centres, result.slots, result.values);
  return result;
}

}  // namespace

TEST_CASE("an example gives its attributes and the products of each two, about the centres") {
  const ProductFeatures features(ProductSlots(4, 2));
  CHECK(features.slots() == 14);
  const Expanded made = expand(features, {0, 2, 3}, {5, NAN, 7}, {1, 2, 3, 4});
  REQUIRE(made.slots.size() == 5);
  CHECK(std::vector<Attribute>(made.slots.begin(), made.slots.begin() + 2) == std::vector<Attribute>{0, 3});
  CHECK(made.values == std::vector<double>{5, 7, 16, 12, 9});
  CHECK(factors_of(features, made.slots[2]) == std::vector<std::uint32_t>{0, 0});
  CHECK(factors_of(features, made.slots[3]) == std::vector<std::uint32_t>{0, 3});
  CHECK(factors_of(features, made.slots[4]) == std::vector<std::uint32_t>{3, 3});
}

TEST_CASE("products have their slots one behind the other, those of three behind those of two") {
  for (const std::uint32_t places : {1, 2, 5, 9}) {
    const ProductFeatures features(ProductSlots(places, 3));
    std::uint32_t next = places;
    for (std::uint32_t i = 0; i < places; ++i)
      for (std::uint32_t j = i; j < places; ++j, ++next) {
        CHECK(features.product_slots().of(i, j) == next);
        CHECK(factors_of(features, next) == std::vector<std::uint32_t>{i, j});
        CHECK(features.has_factor(next, i));
        CHECK(features.has_factor(next, j));
      }
    CHECK(next == features.product_slots().of_two());
    for (std::uint32_t i = 0; i < places; ++i)
      for (std::uint32_t j = i; j < places; ++j)
        for (std::uint32_t k = j; k < places; ++k, ++next) {
          CHECK(features.product_slots().of(i, j, k) == next);
          CHECK(factors_of(features, next) == std::vector<std::uint32_t>{i, j, k});
        }
    CHECK(next == features.slots());
  }
}

TEST_CASE("an example gives products of three, cubes among them") {
  const ProductFeatures features(ProductSlots(3, 3));
  const Expanded made = expand(features, {0, 2}, {5, 7}, {3, 0, 4});
  CHECK(made.values == std::vector<double>{5, 7, 4, 6, 9, 8, 12, 18, 27});
  CHECK(factors_of(features, made.slots[6]) == std::vector<std::uint32_t>{0, 0, 2});
}

TEST_CASE("members alone have products, in the places that they have") {
  ProductFeatures features(ProductSlots(100, 2, {70, 5, 20}));
  CHECK(features.slots() == 106);
  Expanded made = expand(features, {5, 20, 50, 70}, {2, 3, 4, 5}, {1, 1, 1});
  CHECK(made.slots == std::vector<Attribute>{5, 20, 50, 70, 100, 101, 102, 103, 104, 105});
  CHECK(made.values == std::vector<double>{2, 3, 4, 5, 16, 4, 8, 1, 2, 4});
  features.replace(1, 50);
  CHECK(features.product_slots().place(5) == ProductSlots::kNone);
  CHECK(features.product_slots().place(50) == 1);
  made = expand(features, {5, 50}, {2, 4}, {1, 1, 1});
  CHECK(made.slots == std::vector<Attribute>{5, 50, 103});
  CHECK(made.values == std::vector<double>{2, 4, 9});
}

TEST_CASE("a product beyond what sums hold is not known") {
  const ProductFeatures features(ProductSlots(2, 2));
  CHECK(expand(features, {0, 1}, {1e40, 1e10}, {0, 0}).values == std::vector<double>{1e40, 1e10, 1e50, 1e20});
}

}  // namespace product_features_test
