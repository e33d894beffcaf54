#include "daemon/json_elements.h"

#include <doctest/doctest.h>

using glimpse::array_elements;
using glimpse::examples_as_lines;

TEST_CASE("an array of examples becomes a line each, whatever stands in their strings") {
  CHECK(*examples_as_lines(R"([{"values":[1,2]}, {"tag":"a]\"}b",
    "values":{"1":2}}])") == "{\"values\":[1,2]}\n{\"tag\":\"a]\\\"}b\",     \"values\":{\"1\":2}}\n");
  CHECK(*examples_as_lines(" [[1,2],[3,4]] ") == "[1,2]\n[3,4]\n");
}

TEST_CASE("NDJSON and a single dense example stay as they are") {
  CHECK(*examples_as_lines("{\"values\":[1]}\n{\"values\":[2]}\n") == "{\"values\":[1]}\n{\"values\":[2]}\n");
  CHECK(*examples_as_lines("[1,2]\n[3,4]\n") == "[1,2]\n[3,4]\n");
  CHECK(*examples_as_lines("") == "");
}

TEST_CASE("what is not closed, or followed by more, is refused") {
  for (const char* bad :
       {"[", "[{", "[{]", "[{}", "[{},]", "[{} {}]", "[[1],2]", "[[1]] x", "[{\"a", "[{}}", "[{},"})
    CHECK(examples_as_lines(bad).has_error());
}

TEST_CASE("the elements of an array are cut apart, sound or not") {
  const auto elements = array_elements(R"( [{"a":"],\"["}, 5,oops] )");
  REQUIRE(elements.has_value());
  REQUIRE(elements->size() == 3);
  CHECK((*elements)[0] == R"({"a":"],\"["})");
  CHECK((*elements)[1] == " 5");
  CHECK((*elements)[2] == "oops");
  CHECK(array_elements("[]")->empty());
  CHECK(array_elements("[1,]")->size() == 2);
  for (const char* bad : {"[", "[1", "[\"a]", "[[1]", "[1] [2]"}) CHECK(array_elements(bad).has_error());
}
