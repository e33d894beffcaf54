#include <doctest/doctest.h>

#include "data/formats/sparse_line.h"

namespace repeats_test {

using namespace glimpse;

TEST_CASE("a repeated attribute is found in any order") {
  std::vector<Attribute> none;
  std::vector<Attribute> ascending{1, 2, 9};
  std::vector<Attribute> shuffled{9, 1, 2};
  std::vector<Attribute> neighbours{1, 2, 2};
  std::vector<Attribute> repeated{9, 1, 2, 1};
  CHECK_FALSE(repeated_attribute(none));
  CHECK_FALSE(repeated_attribute(ascending));
  CHECK_FALSE(repeated_attribute(shuffled));
  CHECK(repeated_attribute(neighbours) == Attribute{2});
  CHECK(repeated_attribute(repeated) == Attribute{1});
}

TEST_CASE("repeats add up at the place of the first") {
  std::vector<std::uint32_t> scratch;
  std::vector<Entry> entries{{9, 1}, {1, 2}, {9, 4}, {0, 8}, {1, 16}, {9, 32}};
  add_up_repeats(entries, scratch);
  REQUIRE(entries.size() == 3);
  CHECK((entries[0].attribute == 9 && entries[0].value == 37));
  CHECK((entries[1].attribute == 1 && entries[1].value == 18));
  CHECK((entries[2].attribute == 0 && entries[2].value == 8));
}

}  // namespace repeats_test
