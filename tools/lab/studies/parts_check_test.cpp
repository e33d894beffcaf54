#include "lab/studies/parts_check.h"

#include <doctest/doctest.h>

#include "lab/lab_test_support.h"

namespace parts_check_test {

using namespace glimpse;

namespace {

DataSource simulated() {
  DataOptions options;
  options.data = "simulated:factors:3";
  options.dimension = 12;
  options.examples = 4000;
  options.test_examples = 500;
  return DataSource::load(options).value();
}

std::vector<PartsPoint> points(std::uint64_t share_every) {
  PartsCheck check;
  check.learner.algorithm = "pairwise";
  check.learner.budget = 3;
  check.parts = {1, 8};
  check.share_every = share_every;
  return check_parts(check, simulated(), {1, true}).value();
}

}  // namespace

TEST_CASE("parts that are merged have all examples, and lose less than one of them alone") {
  for (const std::uint64_t share_every : {0, 400}) {
    CAPTURE(share_every);
    for (const PartsPoint& point : points(share_every)) {
      CHECK(point.examples == 4000);
      CHECK(point.merged < 1);
      if (point.parts == 1) CHECK(point.merged == point.alone);
      if (point.parts == 8) CHECK(point.merged < point.alone);
    }
  }
}

TEST_CASE("parts plan by what all know from the example on at which that is shared first") {
  const auto own = points(0);
  const auto never = points(4000);
  const auto shared = points(400);
  CHECK(never[1].merged == own[1].merged);
  CHECK(shared[1].merged != own[1].merged);
}

}  // namespace parts_check_test
