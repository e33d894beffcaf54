#include "learn/attribute_reach.h"

#include <cmath>
#include <doctest/doctest.h>

using namespace glimpse;

TEST_CASE("a value beyond one and a half times the largest seen counts as that") {
  CHECK(within_reach(2.9, 2) == 2.9);
  CHECK(within_reach(1000, 2) == 3);
  CHECK(within_reach(-1000, 2) == -3);
  CHECK(within_reach(7, 0) == 7);  // its weight is 0
  CHECK(std::isnan(within_reach(std::nan(""), 2)));
}
