#include "lab/studies/progressive_check.h"

#include <cmath>
#include <doctest/doctest.h>

#include "lab/lab_test_support.h"

namespace progressive_check_test {

using namespace glimpse;

// What is estimated at 2ⁿ is the loss of the model after 2ⁿ⁻¹ examples.
TEST_CASE("pairwise's progressive loss is the loss of its last model, to its standard error") {
  for (const char* data : {"simulated:ridge:-2", "simulated:ridge:-1"}) {
    DataOptions options;
    options.data = data;
    options.dimension = 50;
    options.examples = 8192;
    options.test_examples = 20000;
    const DataSource source = DataSource::load(options).value();
    Method method;
    method.learner.algorithm = "pairwise";
    method.learner.budget = 10;
    method.learner.bias = true;
    MeasuringPoints prefixes;
    prefixes.counts = {512, 1024, 2048, 4096, 8192};
    const auto points = check_progressive(method, prefixes, 1, 4, source, {1, true}).value();
    REQUIRE(points.size() == 20);
    double squares = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % 5 == 0) continue;
      const double deviate = (points[i].progressive - points[i - 1].test_loss) / points[i].error;
      CHECK(std::abs(deviate) < 4);
      squares += deviate * deviate;
      CHECK(points[i].error < 0.25);
    }
    CHECK(squares / 16 < 2.2);  // of 16 normal deviates: less with 99.5 %
    CHECK(squares / 16 > 0.3);  // the standard error is not too large either
  }
}

TEST_CASE("the rows of a check, and what has no progressive loss") {
  CHECK(to_csv(std::vector<ProgressivePoint>{{1, 2, 0.5, 0.25, 0.75}}) ==
        "seed,examples,progressive_loss,standard_error,test_loss\n1,2,0.5,0.25,0.75\n");
  DataOptions options;
  options.data = "simulated:ridge:-1";
  options.dimension = 5;
  options.examples = 10;
  options.test_examples = 10;
  const DataSource source = DataSource::load(options).value();
  Method method;
  method.learner.algorithm = "offline-ridge";
  CHECK(check_progressive(method, {}, 1, 1, source, {1, true}).error().message ==
        "--algorithm offline-ridge: has no progressive loss");
}

}  // namespace progressive_check_test
