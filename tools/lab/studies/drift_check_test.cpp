#include "lab/studies/drift_check.h"

#include <doctest/doctest.h>

namespace drift_check_test {

using namespace glimpse;

TEST_CASE("drift check: parts that look together notice a change before half of them would alone") {
  DriftCheck check;
  check.learner.algorithm = "pairwise";
  check.learner.dimension = 10;
  check.learner.budget = 4;
  check.learner.drift = Drift::kAuto;
  check.parts = {1, 8};
  check.before = 8000;
  check.after = 20000;
  check.every = 32;
  const auto points = check_drift(check, {.threads = 1, .quiet = true});
  REQUIRE(points.has_value());
  const DriftPoint& one = (*points)[0];
  const DriftPoint& eight = (*points)[1];
  CHECK(one.together == one.last_alone);
  CHECK(eight.together <= eight.middle_alone / 2);
  CHECK(eight.together <= check.after);
  CHECK(eight.first_alone <= eight.last_alone);
  CHECK(eight.false_alarms == 0);
  CHECK(to_csv(*points).starts_with("seed,parts,together,"));
}

}  // namespace drift_check_test
