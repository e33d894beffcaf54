#include "lab/option_readers.h"

#include <doctest/doctest.h>

namespace option_readers_test {

using namespace glimpse;

TEST_CASE("prefixes are numbers of examples, and all") {
  const auto points = parse_prefixes("prefixes", "100,1000,all").value();
  CHECK(points.counts == std::vector<std::uint64_t>{100, 1000});
  CHECK(points.all);
  CHECK_FALSE(points.in_attributes);
  for (const char* wrong : {"", "0", "100,", "1e3", "some"})
    CHECK_FALSE(parse_prefixes("prefixes", wrong).has_value());
}

TEST_CASE("a part of a list that is refused is named with its option") {
  CHECK(parse_prefixes("prefixes", "10,x").error().message ==
        "--prefixes: 'x' must be a number of examples from 1, or all");
  CHECK(parse_counts("buy", "2,all").error().message == "--buy: 'all' must be a whole number from 1");
  CHECK(parse_numbers("radii", "1,,2").error().message == "--radii: '' must be a number above 0");
}

TEST_CASE("lists keep their order") {
  CHECK(parse_counts("buy", "4,1,2").value() == std::vector<std::uint64_t>{4, 1, 2});
  CHECK(parse_numbers("radii", "2,0.5").value() == std::vector<double>{2, 0.5});
  CHECK(split_list(",a,,b,") == std::vector<std::string>{"a", "b"});
}

}  // namespace option_readers_test
