#include "learn/products/product_features.h"

#include <cmath>
#include <doctest/doctest.h>

namespace product_features_test {

using namespace glimpse;

namespace {
std::vector<Attribute> factors_of(const ProductFeatures& features, std::uint32_t slot) {
  const auto factors = features.factors(slot);
  return {factors.begin(), factors.end()};
}
}  // namespace

TEST_CASE("an example gives its attributes and the products of each two, about the centres") {
  const ProductFeatures features(4);
  CHECK(features.slots() == 14);
  std::vector<Attribute> slots;
  std::vector<double> values;
  features.expand(std::vector<Attribute>{0, 2, 3}, std::vector<double>{5, NAN, 7},
                  std::vector<double>{1, 2, 3, 4}, slots, values);
  REQUIRE(slots.size() == 5);
  CHECK(std::vector<Attribute>(slots.begin(), slots.begin() + 2) == std::vector<Attribute>{0, 3});
  CHECK(values == std::vector<double>{5, 7, 16, 12, 9});
  CHECK(factors_of(features, slots[2]) == std::vector<Attribute>{0, 0});
  CHECK(factors_of(features, slots[3]) == std::vector<Attribute>{0, 3});
  CHECK(factors_of(features, slots[4]) == std::vector<Attribute>{3, 3});
}

TEST_CASE("slots are those of the monomials, one behind the other") {
  for (const std::size_t d : {1, 2, 5, 9}) {
    const ProductFeatures features(d);
    std::uint32_t next = static_cast<std::uint32_t>(d);
    for (Attribute i = 0; i < d; ++i)
      for (Attribute j = i; j < d; ++j, ++next) {
        CHECK(features.product_slots().of(i, j) == next);
        CHECK(factors_of(features, next) == std::vector<Attribute>{i, j});
        CHECK(features.has_factor(next, i));
        CHECK(features.has_factor(next, j));
      }
    CHECK(next == features.slots());
  }
}

TEST_CASE("products of three are behind those of two, cubes among them") {
  for (const std::size_t d : {1, 2, 5, 9}) {
    const ProductFeatures features(d, 3);
    std::uint32_t next = ProductSlots(d, 2).all();
    for (Attribute i = 0; i < d; ++i)
      for (Attribute j = i; j < d; ++j)
        for (Attribute k = j; k < d; ++k, ++next) {
          CHECK(features.product_slots().of(i, j, k) == next);
          CHECK(factors_of(features, next) == std::vector<Attribute>{i, j, k});
        }
    CHECK(next == features.slots());
    CHECK(next == features.product_slots().all());
  }
  const ProductFeatures features(3, 3);
  std::vector<Attribute> slots;
  std::vector<double> values;
  features.expand(std::vector<Attribute>{0, 2}, std::vector<double>{5, 7}, std::vector<double>{3, 0, 4},
                  slots, values);
  CHECK(values == std::vector<double>{5, 7, 4, 6, 9, 8, 12, 18, 27});
  CHECK(factors_of(features, slots[6]) == std::vector<Attribute>{0, 0, 2});
}

TEST_CASE("a product beyond what sums hold is not known") {
  const ProductFeatures features(2);
  std::vector<Attribute> slots;
  std::vector<double> values;
  features.expand(std::vector<Attribute>{0, 1}, std::vector<double>{1e40, 1e10}, std::vector<double>{0, 0},
                  slots, values);
  CHECK(values == std::vector<double>{1e40, 1e10, 1e50, 1e20});
}

}  // namespace product_features_test
