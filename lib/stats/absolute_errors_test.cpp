#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"
#include "stats/progressive_loss.h"

namespace absolute_errors_test {

using namespace glimpse;

TEST_CASE("the mean is that of the absolute errors, and the median within a bin of the true one") {
  for (const double unit : {1e-30, 1.0, 3e7, 1e30}) {
    CAPTURE(unit);
    Random random(1);
    AbsoluteErrors errors;
    std::vector<double> sizes;
    double sum = 0;
    for (int t = 0; t < 5000; ++t) {
      const double error = unit * (random.uniform() - 0.3) * random.uniform();
      errors.add(error);
      sizes.push_back(std::abs(error));
      sum += std::abs(error);
    }
    std::ranges::sort(sizes);
    CHECK(errors.mean() == doctest::Approx(sum / 5000));
    CHECK(errors.median() == doctest::Approx(sizes[2500]).epsilon(0.02));
  }
}

TEST_CASE("errors of 0 and of any size have a place") {
  AbsoluteErrors errors;
  CHECK(std::isnan(errors.mean()));
  CHECK(std::isnan(errors.median()));
  errors.add(0);
  CHECK(errors.median() == 0);
  for (const double error : {1e300, -1e300, 1e-300, 0.0}) errors.add(error);
  errors.add(std::nan(""));
  CHECK(std::isfinite(errors.median()));
  CHECK(errors.mean() == doctest::Approx(4e299));
}

TEST_CASE("absolute errors are merged, and kept") {
  AbsoluteErrors a;
  AbsoluteErrors b;
  AbsoluteErrors both;
  for (int t = 1; t <= 100; ++t) {
    (t % 3 == 0 ? a : b).add(t);
    both.add(t);
  }
  State state;
  state.begin();
  a.save(state, "a");
  AbsoluteErrors().save(state, "none");
  state.finish();
  AbsoluteErrors restored;
  REQUIRE(restored.restore(state, "a").has_value());
  restored.merge(b);
  CHECK(restored.mean() == doctest::Approx(both.mean()));
  CHECK(restored.median() == both.median());
  REQUIRE(restored.restore(state, "none").has_value());
  CHECK(std::isnan(restored.mean()));
}

}  // namespace absolute_errors_test
