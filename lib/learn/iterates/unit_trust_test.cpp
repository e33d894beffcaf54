#include "learn/iterates/unit_trust.h"

#include <cmath>
#include <doctest/doctest.h>

namespace unit_trust_test {

using namespace glimpse;

namespace {
// `count` values of ±1 times `largest`.
Moment dense(std::uint32_t count, double largest) {
  return {0, largest * largest, count, static_cast<float>(largest)};
}
}  // namespace

TEST_CASE("a unit is trusted by how many values of its size were seen, whatever it is") {
  UnitTrust trust;
  CHECK(trust({}) == 1);
  for (const double unit : {0x1p-40, 1.0, 0x1p20}) {
    CHECK(trust(dense(1, unit)) == doctest::Approx(1.0 / 3));
    CHECK(trust(dense(18, unit)) == doctest::Approx(0.9));
    CHECK(trust(dense(SecondMoments::kCertain, unit)) == doctest::Approx(1));
    // 1,000 reveals of which one was not 0 tell no more than one.
    CHECK(trust({0, unit * unit / 1000, 1000, static_cast<float>(unit)}) == doctest::Approx(1.0 / 3));
  }
}

// 99 well-known attributes of unit 1 and one seen twice at 1/200: ln(pooled) = (2/3)·ln(1/200)/(99·10⁶/(10⁶ +
// 1) + 2/3) and s² = .05, the least.
TEST_CASE("a unit far below all others is drawn towards them, and one above is not") {
  SecondMoments moments(100);
  for (Attribute i = 0; i < 99; ++i) moments.set(i, dense(1000000, 1));
  moments.set(99, dense(2, 1.0 / 200));
  UnitTrust trust;
  trust.pool(moments);
  const double pooled = std::exp(2.0 / 3 * std::log(1.0 / 200) / (99 + 2.0 / 3));
  const double square = 2.0 / 3 * std::pow(std::log(1.0 / 200), 2) / (99 + 2.0 / 3);
  const double spread = square - 1.0 / 3 / (99 + 2.0 / 3) - std::pow(std::log(pooled), 2);
  REQUIRE(spread > 0.05);
  CHECK(trust(moments[99]) ==
        doctest::Approx(0.5 * std::pow(1.0 / 200 / pooled, 2 / (1 + 2 * spread))).epsilon(1e-5));
  CHECK(trust(moments[99]) < 0.001);
  CHECK(trust(dense(1000000, 1.0 / 200)) > 0.999);  // well known by now
  CHECK(trust(moments[0]) > 0.999);
  CHECK(trust(dense(2, 1e6)) == doctest::Approx(0.5));
}

TEST_CASE("among units that differ by orders of magnitude the others say next to nothing") {
  SecondMoments moments(21);
  for (Attribute i = 0; i < 20; ++i)
    moments.set(i, dense(1000000, std::pow(10.0, static_cast<double>(i) / 2 - 5)));
  moments.set(20, dense(2, 1e-5));
  UnitTrust trust;
  trust.pool(moments);
  CHECK(trust(moments[20]) > 0.25);
  CHECK(trust(moments[20]) < 0.5);
}

TEST_CASE("what the units were compared with is restored to the bit") {
  SecondMoments moments(3);
  moments.set(0, dense(5, 3));
  moments.set(1, dense(50, 0.1));
  UnitTrust trust;
  trust.pool(moments);
  State state;
  state.begin();
  trust.save(state);
  state.finish();
  UnitTrust restored;
  REQUIRE(restored.restore(state).has_value());
  CHECK(restored(moments[1]) == trust(moments[1]));
  CHECK(restored(moments[1]) != UnitTrust()(moments[1]));
}

}  // namespace unit_trust_test
