#include "learn/core/monomials.h"

#include <doctest/doctest.h>
#include <tuple>
#include <vector>

namespace monomials_test {

using namespace glimpse;

namespace {

std::vector<Attribute> factors_of(const Monomials& monomials, std::uint32_t slot) {
  const auto factors = monomials.factors(slot);
  return {factors.begin(), factors.end()};
}

}  // namespace

TEST_CASE("a product has one slot, behind those of the attributes, whichever way it is made") {
  Monomials monomials(5, 100);
  CHECK(monomials.find(1, 3) == Monomials::kNone);
  const std::uint32_t product = monomials.add(1, 3);
  CHECK(product == 5);
  CHECK(factors_of(monomials, product) == std::vector<Attribute>{1, 3});
  CHECK(monomials.add(1, 3) == product);
  CHECK(monomials.find(1, 3) == product);
  CHECK(monomials.add(3, 1) == Monomials::kElsewhere);
  CHECK(monomials.find(3, 1) == Monomials::kElsewhere);
  const std::uint32_t square = monomials.add(3, 3);
  CHECK(factors_of(monomials, square) == std::vector<Attribute>{3, 3});
  const std::uint32_t cubic = monomials.add(square, 1);
  CHECK(factors_of(monomials, cubic) == std::vector<Attribute>{1, 3, 3});
  CHECK(monomials.add(product, 3) == Monomials::kElsewhere);
  CHECK(monomials.products() == 3);
  CHECK(monomials.slots() == 8);
}

TEST_CASE("a closed way makes no product") {
  Monomials monomials(3, 10);
  monomials.close(1, 1);
  CHECK(monomials.add(1, 1) == Monomials::kElsewhere);
  CHECK(monomials.products() == 0);
}

TEST_CASE("what finds no room is counted each time, and products that are there are found all the same") {
  Monomials monomials(10, 2);
  const std::uint32_t first = monomials.add(0, 1);
  monomials.add(0, 2);
  CHECK(monomials.add(0, 3) == Monomials::kNone);
  CHECK(monomials.add(0, 3) == Monomials::kNone);
  CHECK(monomials.lacking() == 2);
  CHECK(monomials.add(0, 1) == first);
  CHECK(monomials.add(1, 0) == Monomials::kElsewhere);
  CHECK(monomials.products() == 2);
}

TEST_CASE("a product has at most 32 factors") {
  Monomials monomials(2, 100);
  std::uint32_t slot = 1;
  for (std::size_t degree = 2; degree <= Monomials::kMostFactors; ++degree) slot = monomials.add(slot, 1);
  CHECK(factors_of(monomials, slot).size() == 32);
  CHECK(monomials.add(slot, 0) == Monomials::kNone);
  CHECK(monomials.lacking() == 1);
}

TEST_CASE("thousands of products are found again, and their state brings back the same slots and ways") {
  constexpr Attribute kAttributes = 60;
  Monomials monomials(kAttributes, 100000);
  for (Attribute i = 0; i < kAttributes; ++i)
    for (Attribute j = 0; j < kAttributes; ++j) {
      const std::uint32_t slot = monomials.add(i, j);
      CHECK((slot == Monomials::kElsewhere) == (j < i));
      if (slot < Monomials::kElsewhere && i % 7 == 0) monomials.add(slot, 3);
    }
  State state;
  state.begin();
  monomials.save(state);
  state.put_copy<std::uint32_t>("expansion.parents", {});
  state.finish();
  Monomials same(kAttributes, 100000);
  REQUIRE(same.restore(state).has_value());
  REQUIRE(same.slots() == monomials.slots());
  for (std::uint32_t slot = 0; slot < same.slots(); ++slot)
    REQUIRE(factors_of(same, slot) == factors_of(monomials, slot));
  for (Attribute i = 0; i < kAttributes; ++i)
    for (Attribute j = i; j < kAttributes; ++j) REQUIRE(same.find(i, j) == monomials.find(i, j));
  CHECK(same.add(9, 8) == Monomials::kElsewhere);
  Monomials small(kAttributes, 10);
  CHECK(small.restore(state).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("averages that count nothing, and losses below 0, are refused") {
  for (const auto& [average, loss, is_sound] :
       {std::tuple{1.0, 0.0, true}, {0.0, 0.0, false}, {2.0, -1.0, false}}) {
    State state;
    state.begin();
    Monomials(2, 4).save(state);
    state.put_copy<std::uint32_t>("expansion.parents", std::vector<std::uint32_t>{});
    state.put_copy<float>("moments.max_abs", std::vector<float>{1, 1});
    state.put_copy<double>("expansion.averages", std::vector<double>{average});
    state.put_copy<double>("expansion.losses", std::vector<double>{loss});
    state.finish();
    CHECK(check_monomials(state).has_value() == is_sound);
  }
}

}  // namespace monomials_test
