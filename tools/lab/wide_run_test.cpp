#include "lab/wide_run.h"

#include <doctest/doctest.h>
#include <vector>

using namespace glimpse;

TEST_CASE("a learner is named with its options behind colons") {
  const auto curve = parse_wide_curve("two-phase-ddaelr:radius=20:step=0.5:phase1=10%", 7);
  REQUIRE(curve.has_value());
  CHECK(curve->label == "two-phase-ddaelr:radius=20:step=0.5:phase1=10%");
  CHECK(curve->learner.algorithm == "two-phase-ddaelr");
  CHECK(curve->learner.budget == 7);
  CHECK(curve->learner.radius == 20);
  CHECK(curve->learner.step_number == 0.5);
  CHECK(curve->learner.phase1_fraction == 0.1);
  CHECK(parse_wide_curve("aerr:size=3", 7).error().message ==
        "--learner aerr:size=3: 'size=3' is not radius, step, phase1 or active");
  CHECK(parse_wide_curve("aerr:radius", 7).error().message ==
        "--learner aerr:radius: 'radius' is not radius, step, phase1 or active");
}

TEST_CASE("learners on a wide stream are measured exactly, alone as beside others") {
  WideOptions set;
  set.dimension = 400;
  set.relevant = 3;
  const std::uint64_t counts[] = {2000, 20000};
  const auto losses = [&](std::initializer_list<const char*> names) {
    std::vector<WideCurve> curves;
    for (const char* name : names) curves.push_back(*parse_wide_curve(name, 10));
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
