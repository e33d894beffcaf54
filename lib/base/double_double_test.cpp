#include "base/double_double.h"

#include <doctest/doctest.h>

#include "base/random.h"

namespace double_double_test {

using glimpse::DoubleDouble;

TEST_CASE("a term lost by a double is kept") {
  DoubleDouble sum(1e16);
  sum.add(1.0);
  sum.add(-1e16);
  CHECK(sum.value() == 1.0);
}

TEST_CASE("squares added and taken away in any order leave exactly the rest") {
  glimpse::Random random(1);
  DoubleDouble sum;
  for (int i = 0; i < 100000; ++i) {
    const double x = (random.uniform() - 0.5) * 1e6;
    sum.add_square(x, +1);
    sum.add_square(x, -1);
    if (i == 50000) sum.add_square(1e-3, +1);
  }
  CHECK(sum.value() == doctest::Approx(1e-6).epsilon(1e-12));
}

TEST_CASE("scaling by a power of two is exact") {
  DoubleDouble sum(1.0);
  sum.add(0x1p-80);
  sum.scale_by_power_of_two(0x1p-10);
  sum.add(-0x1p-10);
  CHECK(sum.value() == 0x1p-90);
}

TEST_CASE("products added and taken away in any order leave exactly the rest") {
  glimpse::Random random(2);
  DoubleDouble sum;
  for (int i = 0; i < 100000; ++i) {
    const double x = random.uniform() * 1e6;
    const double y = random.uniform() - 0.5;
    sum.add_product(x, y);
    if (i == 50000) sum.add_product(1e-3, 1e-3);
    sum.add_product(-x, y);
  }
  CHECK(sum.value() == doctest::Approx(1e-6).epsilon(1e-12));
}

}  // namespace double_double_test
