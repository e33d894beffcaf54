#include "lab/studies/wide_run.h"

#include <doctest/doctest.h>
#include <vector>

namespace wide_run_test {

using namespace glimpse;

TEST_CASE("learners on a wide stream are measured exactly, alone as beside others") {
  WideOptions set;
  set.dimension = 400;
  set.relevant = 3;
  const std::uint64_t counts[] = {2000, 20000};
  const auto losses = [&](std::initializer_list<const char*> names) {
    std::vector<NamedOptions> curves;
    for (const char* name : names) curves.push_back(*parse_named_options("learner", name, 10));
    std::vector<WideRow> rows;
    REQUIRE(run_wide(set, curves, counts, [&](const WideRow& row) { rows.push_back(row); }).has_value());
    return rows;
  };
  const auto both = losses({"two-phase-ddaerr", "pairwise-screened:active=20"});
  REQUIRE(both.size() == 4);
  CHECK(both[3].curve == 1);
  CHECK(both[3].examples == 20000);
  CHECK(both[3].attributes == 200000);
  CHECK(both[3].unexplained < 0.05);
  CHECK(both[3].unexplained < both[2].unexplained);
  const auto alone = losses({"pairwise-screened:active=20"});
  CHECK(alone[1].loss == both[3].loss);
}

}  // namespace wide_run_test
