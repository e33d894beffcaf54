#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"
#include "data/formats/sparse_line.h"

namespace plan_cursor_test {

using namespace glimpse;

TEST_CASE("attributes in any order are found where the plan has them") {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Attribute> plan;
    for (Attribute a = 0; a < 30; ++a) {
      if (random.below(3) == 0) plan.push_back(a);
    }
    PlanCursor cursor(plan);
    for (int i = 0; i < 60; ++i) {
      // Half of the trials ascend.
      const auto a =
          static_cast<Attribute>(trial % 2 == 0 ? random.below(32) : static_cast<std::uint64_t>(i / 2));
      std::size_t expected = PlanCursor::kNotPlanned;
      for (std::size_t j = 0; j < plan.size(); ++j) {
        if (plan[j] == a) expected = j;
      }
      CHECK(cursor.find(a) == expected);
    }
  }
}

}  // namespace plan_cursor_test
