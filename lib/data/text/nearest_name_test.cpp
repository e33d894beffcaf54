#include <doctest/doctest.h>
#include <vector>

#include "base/command_line.h"
#include "data/text/text.h"

namespace nearest_name_test {

using namespace glimpse;

TEST_CASE("the nearest name is one of few edits, whatever its case") {
  const std::vector<std::string_view> known{"age", "bp", "", "temperature"};
  CHECK(nearest_name("BP", known) == "bp");
  CHECK(nearest_name("temprature", known) == "temperature");
  CHECK(nearest_name("colour", known).empty());
  CHECK(did_you_mean("BP", known) == "; did you mean 'bp'?");
  CHECK(did_you_mean("colour", known).empty());
}

}  // namespace nearest_name_test
