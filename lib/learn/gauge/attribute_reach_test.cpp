#include "learn/gauge/attribute_reach.h"

#include <cmath>
#include <doctest/doctest.h>

namespace attribute_reach_test {

using namespace glimpse;

TEST_CASE("a value beyond one and a half times the largest seen counts as that") {
  CHECK(within_reach(2.9, 2) == 2.9);
  CHECK(within_reach(1000, 2) == 3);
  CHECK(within_reach(-1000, 2) == -3);
  CHECK(within_reach(7, 0) == 7);  // its weight is 0
  CHECK(std::isnan(within_reach(std::nan(""), 2)));
}

TEST_CASE("a value that the learner would leave out is missing, and all others are within reach") {
  const AttributeReach reach{2, -10, 4};
  CHECK(within_reach(2.9, reach) == 2.9);
  CHECK(within_reach(4, reach) == 3);
  CHECK(within_reach(-10, reach) == -3);
  CHECK(std::isnan(within_reach(4.1, reach)));
  CHECK(std::isnan(within_reach(-11, reach)));
  CHECK(std::isnan(within_reach(std::nan(""), reach)));
  CHECK(within_reach(1e300, AttributeReach{}) == 1e300);
}

}  // namespace attribute_reach_test
