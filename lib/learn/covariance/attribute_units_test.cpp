#include "learn/covariance/attribute_units.h"

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"

namespace attribute_units_test {

using namespace glimpse;

namespace {

// Uniform attributes, attribute i in units of units[i]. The last is tiny in `rare` examples, and 0 in the
// others.
PairMoments uniform_moments(const std::vector<double>& units, int examples, int rare) {
  const std::size_t d = units.size();
  PairMoments moments(d);
  Random random(1);
  std::vector<Attribute> all;
  for (std::size_t i = 0; i < d; ++i) all.push_back(static_cast<Attribute>(i));
  std::vector<double> x(d);
  for (int e = 0; e < examples; ++e) {
    for (std::size_t i = 0; i < d; ++i) x[i] = units[i] * (2 * random.uniform() - 1);
    x[d - 1] = e > 0 && e <= rare ? 1e-3 * units[d - 1] : 0;
    moments.add(all, x, 0, 1);
  }
  return moments;
}

AttributeUnits all_of(const PairMoments& moments) {
  std::vector<AttributeSums> attributes;
  for (std::size_t i = 0; i < moments.dimension(); ++i) attributes.push_back(moments[i]);
  return attribute_units(attributes);
}

std::vector<double> units_of(const PairMoments& moments) { return all_of(moments).units; }

}  // namespace

TEST_CASE("a well-known attribute's unit is the geometric mean of deviation and largest value") {
  const PairMoments moments = uniform_moments({1, 50, 0.002, 1}, 20000, 0);
  const std::vector<double> units = units_of(moments);
  const double expected = std::sqrt(1 / std::sqrt(3.0));
  CHECK(units[0] == doctest::Approx(expected).epsilon(0.02));
  CHECK(units[1] == doctest::Approx(50 * expected).epsilon(0.02));
  CHECK(units[2] == doctest::Approx(0.002 * expected).epsilon(0.02));
}

TEST_CASE("units follow the data's units exactly once much is known, and roughly when little is") {
  const std::vector<double> scale{1, 1024, 1.0 / 4096, 8, 2, 1};
  for (const auto& [examples, error] : {std::pair{50000, 1e-3}, std::pair{40, 0.35}}) {
    const std::vector<double> plain = units_of(uniform_moments(std::vector<double>(6, 1.0), examples, 0));
    const std::vector<double> scaled = units_of(uniform_moments(scale, examples, 0));
    for (std::size_t i = 0; i < 5; ++i) CHECK(std::abs(std::log(scaled[i] / (scale[i] * plain[i]))) < error);
  }
}

TEST_CASE("the spread is the variance of the units' logarithms, and has a floor") {
  const std::vector<double> scale{1, 1024, 1.0 / 4096, 8, 2, 1};
  double mean = 0;
  for (std::size_t i = 0; i < 5; ++i) mean += std::log(scale[i]) / 5;  // the last is never seen
  double variance = 0;
  for (std::size_t i = 0; i < 5; ++i)
    variance += (std::log(scale[i]) - mean) * (std::log(scale[i]) - mean) / 5;
  CHECK(all_of(uniform_moments(scale, 20000, 0)).spread == doctest::Approx(variance).epsilon(0.01));
  CHECK(all_of(uniform_moments(std::vector<double>(6, 1.0), 20000, 0)).spread == 0.05);
}

TEST_CASE("an attribute seen once or twice at a tiny value does not get a tiny unit") {
  std::vector<double> same(20, 1.0);
  const PairMoments moments = uniform_moments(same, 500, 1);
  const std::vector<double> units = units_of(moments);
  CHECK(effective_count(moments[19]) == doctest::Approx(1));
  const double alone = std::sqrt(std::sqrt(moments[19].variance()) * moments[19].largest);
  CHECK(alone < 3e-4);
  CHECK(units[19] > 10 * alone);
}

TEST_CASE("nothing seen, or nothing but constants: units of 1") {
  CHECK(units_of(PairMoments(3)) == std::vector<double>{1, 1, 1});
  PairMoments constant(2);
  for (int i = 0; i < 5; ++i) constant.add(std::vector<Attribute>{0, 1}, std::vector<double>{7, 0}, 1, 1);
  CHECK(units_of(constant) == std::vector<double>{1, 1});
  CHECK(effective_count(constant[0]) == 0);
}

TEST_CASE(
    "units grow by the fourth root of how much less often than its spread has it an attribute was seen") {
  PairMoments moments(2);
  const auto look = [&](Attribute i, int times) {
    for (int e = 0; e < times; ++e)
      moments.add(std::vector<Attribute>{i}, std::vector<double>{e % 2 == 0 ? -1.0 : 1.0}, 0, 1);
  };
  look(0, 20);
  look(1, 80);  // the same spread: 50 of 100 each
  const std::vector<AttributeSums> attributes = {moments[0], moments[1]};
  const std::vector<double> plain = attribute_units(attributes).units;
  const std::vector<double> balanced = balanced_units(attributes).units;
  // Deviations of 1, shrunk to 1 whatever the count.
  CHECK(balanced[0] / plain[0] == doctest::Approx(std::pow(51.0 / 21.0, 0.25)));
  CHECK(balanced[1] / plain[1] == doctest::Approx(std::pow(51.0 / 81.0, 0.25)));
}

TEST_CASE("an attribute that was never seen keeps its unit, and has no part in the others'") {
  PairMoments moments(3);
  for (int e = 0; e < 52; ++e)
    moments.add(std::vector<Attribute>{0, 1},
                std::vector<double>{e % 2 == 0 ? -1.0 : 1.0, e % 4 < 2 ? -2.0 : 2.0}, 0, 1);
  const std::vector<AttributeSums> attributes = {moments[0], moments[1], moments[2]};
  const std::vector<double> plain = attribute_units(attributes).units;
  const std::vector<double> balanced = balanced_units(attributes).units;
  for (std::size_t i = 0; i < 3; ++i) CHECK(balanced[i] == doctest::Approx(plain[i]));
}

}  // namespace attribute_units_test
