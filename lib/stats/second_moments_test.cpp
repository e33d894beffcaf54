#include "stats/second_moments.h"

#include <doctest/doctest.h>
#include <limits>

namespace second_moments_test {

using glimpse::SecondMoments;
using glimpse::State;

TEST_CASE("means follow the values that were revealed") {
  SecondMoments moments(3);
  for (const double x : {1.0, -3.0, 2.0}) moments.update(1, x);
  CHECK(moments[1].count == 3);
  CHECK(moments[1].mean == doctest::Approx(0).epsilon(1e-15));
  CHECK(moments[1].second == doctest::Approx(14.0 / 3));
  CHECK(moments[1].max_abs == 3.0F);
  CHECK(moments[0].count == 0);
}

TEST_CASE("the largest magnitude is never below the value it came from") {
  SecondMoments moments(1);
  moments.update(0, 0.1);
  CHECK(static_cast<double>(moments[0].max_abs) >= 0.1);
}

TEST_CASE("the largest value beside moments that stay falls to their root and no further") {
  SecondMoments moments(1);
  moments.set(0, {0, 4, SecondMoments::kCertain, 8});
  moments.lower_largest(0);
  CHECK(static_cast<double>(moments[0].max_abs) == doctest::Approx(8 / std::sqrt(2.0)));
  for (int i = 0; i < 10; ++i) moments.lower_largest(0);
  CHECK(static_cast<double>(moments[0].max_abs) == doctest::Approx(2));
  CHECK(moments[0].second == 4);
  moments.set(0, {0, 4, SecondMoments::kCertain, 0.5F});
  moments.lower_largest(0);
  CHECK(moments[0].max_abs == 0.5F);  // it does not grow
}

TEST_CASE("a count at its limit stays there and the mean goes on moving") {
  SecondMoments moments(1);
  moments.set(0, {1, 1, SecondMoments::kCertain, 1});
  moments.update(0, 1e6);
  CHECK(moments[0].count == SecondMoments::kCertain);
  CHECK(moments[0].mean > 1);
  CHECK(moments[0].mean < 1.001);
}

TEST_CASE("a saved state is restored bit for bit, and another dimension is refused") {
  SecondMoments moments(2);
  moments.update(0, 0.3);
  moments.update(0, 0.7);
  State state;
  state.begin();
  moments.save(state);
  state.finish();
  SecondMoments restored(2);
  REQUIRE(restored.restore(state).has_value());
  CHECK(restored[0].mean == moments[0].mean);
  CHECK(restored[0].second == moments[0].second);
  CHECK(SecondMoments(3).restore(state).has_error());
}

TEST_CASE("the spread is the variance, and never 0 for an attribute that is not") {
  SecondMoments moments(2);
  CHECK(moments[0].spread() == 0);
  moments.update(0, 3);
  CHECK(moments[0].spread() == 9);  // one reveal says nothing of the spread
  moments.update(0, 3);
  CHECK(moments[0].spread() == doctest::Approx(9.0 / 4));
  for (int n = 0; n < 10000; ++n) moments.update(1, n % 2 == 0 ? 99 : 101);
  CHECK(moments[1].spread() == doctest::Approx(1 + 10001e-8).epsilon(1e-9));
}

TEST_CASE("a sum of weights as a count is cut to what a count can be") {
  CHECK(SecondMoments::count_of(0) == 0);
  CHECK(SecondMoments::count_of(-1) == 0);
  CHECK(SecondMoments::count_of(std::numeric_limits<double>::quiet_NaN()) == 0);
  CHECK(SecondMoments::count_of(3.9) == 3);
  CHECK(SecondMoments::count_of(1e300) == SecondMoments::kCertain);
  CHECK(SecondMoments::count_of(std::numeric_limits<double>::infinity()) == SecondMoments::kCertain);
}

}  // namespace second_moments_test
