#include <doctest/doctest.h>
#include <set>

#include "base/random.h"
#include "sampling/attribute_set.h"

namespace drawn_set_test {

using namespace glimpse;

TEST_CASE("drawn set: what was inserted is in it, once, until it is emptied") {
  Random random(1);
  for (const std::size_t most : {1U, 2U, 5U, 57U, 64U}) {
    DrawnSet drawn(most);
    for (int plan = 0; plan < 300; ++plan) {
      std::set<Attribute> expected;
      // Few attributes come twice, and those of multiples of a power of two share places.
      const std::uint64_t range = plan % 3 == 0 ? most + 1 : std::uint64_t{1} << 32;
      const auto step = static_cast<Attribute>(plan % 2 == 0 ? 1 : 4096);
      while (expected.size() < most) {
        const Attribute i = static_cast<Attribute>(random.below(range)) * step;
        CHECK(drawn.contains(i) == expected.contains(i));
        CHECK(drawn.insert(i) == expected.insert(i).second);
        CHECK(drawn.contains(i));
        CHECK(drawn.size() == expected.size());
      }
      drawn.clear();
      CHECK(drawn.size() == 0);
      for (const Attribute i : expected) CHECK_FALSE(drawn.contains(i));
    }
  }
}

}  // namespace drawn_set_test
