#include "stats/progressive_loss.h"

#include <cmath>
#include <doctest/doctest.h>

namespace progressive_loss_test {

using namespace glimpse;

TEST_CASE("estimates of any size leave finite sums") {
  ProgressiveLoss loss;
  for (int k = 0; k < 1000; ++k)
    for (const double estimate : {1e300, -1e300, 0.0}) loss.add(estimate);
  CHECK(std::isfinite(loss.total().mean));
  CHECK(std::isfinite(loss.total().squares));
  CHECK(std::isfinite(loss.recent().squares));
}

TEST_CASE("the mean and its standard error are those of the textbook") {
  ProgressiveLoss loss;
  for (const double x : {1.0, 2.0, 3.0, 6.0}) loss.add(x);
  CHECK(loss.total().mean == doctest::Approx(3));
  CHECK(loss.total().standard_error() == doctest::Approx(std::sqrt(14.0 / 3 / 4)));  // deviations −2 −1 0 3
}

TEST_CASE("estimates that are not independent leave the mean, and widen its standard error") {
  ProgressiveLoss loss;
  for (const double x : {1.0, 2.0, 3.0, 6.0}) loss.add(x, 4);
  CHECK(loss.total().mean == doctest::Approx(3));
  CHECK(loss.total().standard_error() == doctest::Approx(2 * std::sqrt(14.0 / 3 / 4)));
}

TEST_CASE("recent is what came after the second to last power of two") {
  ProgressiveLoss loss;
  for (const double x : {9.0, 9.0, 9.0, 9.0, 1.0, 2.0}) loss.add(x);  // powers at 2 and 4
  CHECK(loss.recent().count == 4);
  CHECK(loss.recent().mean == doctest::Approx((9 + 9 + 1 + 2) / 4.0));
  loss.add(3);
  loss.add(6);  // powers at 4 and 8
  CHECK(loss.recent().count == 4);
  CHECK(loss.recent().mean == doctest::Approx(3));
  CHECK(loss.recent().standard_error() == doctest::Approx(std::sqrt(14.0 / 3 / 4)));
  loss.begin_recent();
  CHECK(loss.recent().count == 0);
  loss.add(5);
  CHECK(loss.recent().mean == doctest::Approx(5));
}

TEST_CASE("a saved loss goes on where it stopped") {
  ProgressiveLoss loss;
  for (const double x : {1.0, -2.0, 3.5}) loss.add(x);
  State state;
  state.begin();
  loss.save(state);
  state.finish();
  ProgressiveLoss restored;
  REQUIRE(restored.restore(state).has_value());
  loss.add(9);
  restored.add(9);
  CHECK(restored.total().mean == loss.total().mean);
  CHECK(restored.total().standard_error() == loss.total().standard_error());
  CHECK(restored.recent().mean == loss.recent().mean);
}

}  // namespace progressive_loss_test
