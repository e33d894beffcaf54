#include "daemon/fleet/plan_token.h"

#include <doctest/doctest.h>
#include <string>

namespace plan_token_test {

using namespace glimpse;

TEST_CASE("plan token: it has its partition and the plan's name there") {
  const std::string text = plan_prefix(12) + "3f9a2b-1842";
  const auto token = parse_plan_token(text);
  REQUIRE(token.has_value());
  CHECK(token->partition == 12);
  CHECK(token->id == "3f9a2b-1842");
}

TEST_CASE("plan token: other texts are none") {
  for (const char* bad :
       {"", "p", "p3", "3f9a2b-1842", "p-3f9a2b-1842", "p-1-3f9a2b-1", "px-1", "p4294967296-a-1"})
    CHECK_MESSAGE(!parse_plan_token(bad), bad);
}

}  // namespace plan_token_test
