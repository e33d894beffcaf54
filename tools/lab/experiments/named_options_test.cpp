#include "lab/experiments/named_options.h"

#include <doctest/doctest.h>

namespace named_options_test {

using namespace glimpse;

TEST_CASE("a learner is named with its options behind colons") {
  const auto curve = parse_named_options("learner", "two-phase-ddaelr:radius=20:step=0.5:phase1=10%", 7);
  REQUIRE(curve.has_value());
  CHECK(curve->label == "two-phase-ddaelr:radius=20:step=0.5:phase1=10%");
  CHECK(curve->learner.algorithm == "two-phase-ddaelr");
  CHECK(curve->learner.budget == 7);
  CHECK(curve->learner.radius == 20);
  CHECK(curve->learner.step_number == 0.5);
  CHECK(curve->learner.phase1_fraction == 0.1);
  CHECK(parse_named_options("learner", "aerr:size=3", 7).error().message ==
        "--learner aerr:size=3: 'size=3' is not radius, step, phase1, active or products");
  CHECK(parse_named_options("learner", "aerr:radius", 7).error().message ==
        "--learner aerr:radius: 'radius' is not radius, step, phase1, active or products");
}

}  // namespace named_options_test
