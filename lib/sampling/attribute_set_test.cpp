#include "sampling/attribute_set.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <vector>

#include "base/random.h"

namespace attribute_set_test {

using namespace glimpse;

TEST_CASE("a set of attributes is what an ordered set of them is, again and again") {
  Random random(1);
  for (const std::uint64_t n : {1, 2, 63, 64, 65, 784, 4095, 4096, 4097, 100'000}) {
    AttributeSet set(n);
    std::vector<Attribute> ascending = {7, 7, 7};  // of a plan before
    for (int round = 0; round < 50; ++round) {
      std::set<Attribute> expected;
      const std::uint64_t draws = random.below(200);
      for (std::uint64_t k = 0; k < draws; ++k) {
        const auto i = static_cast<Attribute>(k == 0 ? n - 1 : random.below(n));
        CHECK(set.contains(i) == expected.contains(i));
        CHECK(set.insert(i) == expected.insert(i).second);
        CHECK(set.contains(i));
      }
      CHECK(set.size() == expected.size());
      set.take_all(ascending);
      CHECK(std::equal(ascending.begin(), ascending.end(), expected.begin(), expected.end()));
      CHECK(set.size() == 0);
      for (const Attribute i : ascending) CHECK(!set.contains(i));
      for (const Attribute i : ascending) set.insert(i);
      set.clear();
      CHECK(set.size() == 0);
      for (const Attribute i : ascending) CHECK(!set.contains(i));
    }
  }
}

}  // namespace attribute_set_test
