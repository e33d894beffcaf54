#include <doctest/doctest.h>
#include <vector>

#include "learn/evaluation/residuals.h"

namespace distinct_residual_test {

using namespace glimpse;

namespace {

constexpr double kProbability[] = {0.4, 0.3, 0.2, 0.1};
constexpr double kTerm[] = {1.5, -0.7, 0.2, 2.1};  // z
constexpr double kRest = 0.9;

// Σ over all sequences of `more` further draws of (their probability)·(the estimate).
double expectation(std::vector<Draw>& draws, double chance, double used, std::size_t more) {
  if (more == 0)
    return chance * distinct_squared_error(draws, 4, kRest, [](std::uint32_t i) { return kTerm[i]; });
  double sum = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    bool drawn = false;
    for (const Draw& draw : draws) drawn = drawn || draw.position == i;
    if (drawn) continue;
    draws.push_back({i, (1 - used) / kProbability[i]});
    sum += expectation(draws, chance * kProbability[i] / (1 - used), used + kProbability[i], more - 1);
    draws.pop_back();
  }
  return sum;
}

}  // namespace

TEST_CASE("the mean over all sequences of distinct draws is the squared error") {
  const double error = kTerm[0] + kTerm[1] + kTerm[2] + kTerm[3] - kRest;
  for (const std::size_t draws : {2, 3, 4}) {
    std::vector<Draw> none;
    CHECK(expectation(none, 1, 0, draws) == doctest::Approx(error * error).epsilon(1e-13));
  }
}

TEST_CASE("where everything is seen the error is known") {
  std::vector<Draw> draws = {{1, 2}, {0, 1}};
  const double error = kTerm[0] + kTerm[1] - kRest;
  CHECK(distinct_squared_error(draws, 2, kRest, [](std::uint32_t i) { return kTerm[i]; }) ==
        doctest::Approx(error * error));
}

TEST_CASE("two draws by hand") {
  // t_1 = z_2·5 = 1, t_2 = z_2 + z_0·(1 − 0.2)/0.4 = 3.2; rest .9: .1·2.3
  const std::vector<Draw> draws = {{2, 5}, {0, 2}};
  CHECK(distinct_squared_error(draws, 4, kRest, [](std::uint32_t i) { return kTerm[i]; }) ==
        doctest::Approx(0.23));
}

}  // namespace distinct_residual_test
