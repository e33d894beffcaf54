#include "learn/step_size.h"

#include <doctest/doctest.h>

using namespace glimpse;

TEST_CASE("the theory's steps are those of the theorems, worked out by hand") {
  CHECK(theory::aerr_step(500, 4, 1000) == doctest::Approx(0.002));                        // √(4/10⁶)
  CHECK(theory::ddaerr_step(12, 4, 100) == doctest::Approx(0.05));                         // 1/√(100·4)
  CHECK(theory::confidence(500, 5, 0.01, 2000) == doctest::Approx(0.05 * std::log(1e5)));  // 500·ln(10⁵)/10⁴
  // H = 3, ε = 1/20, d = 10: √(5/3)·10·√(0.15) = 5; 2·3 + 2·5 + 4 = 20; √(4/100/20) above the floor
  // √(4/6000).
  CHECK(theory::two_phase_step(10, 4, 100, 3, 0.05) == doctest::Approx(std::sqrt(0.002)));
  CHECK(theory::two_phase_step(10, 4, 100, 1e9, 0) == doctest::Approx(std::sqrt(4.0 / 6000)));
}

TEST_CASE("the auto step starts at half of the inverse square and falls as the inverse root of t") {
  AutoStep step;
  CHECK(step.next({0, 0, 3, 0, 0, 0}) == 0);
  step.begin_phase();
  CHECK(step.next({4, 1, 0, 0, 0, 0}) == doctest::Approx(0.125));
  step.begin_phase();
  double eta = 0;
  for (int t = 0; t < 1000000; ++t) eta = step.next({4, 1, 3, 0, 0, 0});
  CHECK(eta == doctest::Approx(1 / std::sqrt(1e6 * 4 / 3)).epsilon(0.01));  // 1/√(t·V·N)
}
