#include "stats/progressive_loss.h"

#include <doctest/doctest.h>

TEST_CASE("the mean and its standard error are those of the textbook") {
  glimpse::ProgressiveLoss loss;
  for (const double x : {1.0, 2.0, 3.0, 6.0}) loss.add(x);
  CHECK(loss.mean() == doctest::Approx(3));
  CHECK(loss.standard_error() == doctest::Approx(std::sqrt(14.0 / 3 / 4)));  // deviations −2 −1 0 3
}

TEST_CASE("a saved loss goes on where it stopped") {
  glimpse::ProgressiveLoss loss;
  for (const double x : {1.0, -2.0, 3.5}) loss.add(x);
  glimpse::State state;
  state.begin();
  loss.save(state);
  state.finish();
  glimpse::ProgressiveLoss restored;
  REQUIRE(restored.restore(state).has_value());
  loss.add(9);
  restored.add(9);
  CHECK(restored.mean() == loss.mean());
  CHECK(restored.standard_error() == loss.standard_error());
}
