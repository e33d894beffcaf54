#include <doctest/doctest.h>

#include "learn/gauge/label_range.h"

namespace label_spread_test {

using namespace glimpse;

TEST_CASE("the variance of labels is the loss of their mean") {
  LabelSpread labels;
  CHECK(std::isnan(labels.variance()));
  labels.add(1);
  CHECK(std::isnan(labels.variance()));
  labels.add(5);
  CHECK(labels.variance() == 4);  // 3 ± 2
  labels.add(3);
  CHECK(labels.variance() == doctest::Approx(8.0 / 3));
  for (const double large : {1e30, -1e30}) labels.add(large);
  CHECK(std::isfinite(labels.variance()));
}

TEST_CASE("a loss has no share of labels that do not vary") {
  const LossShare share = share_of(2, 0.5, 8);
  CHECK(share.value() == 0.25);
  CHECK(share.r2() == 0.75);
  CHECK(share.error == 0.0625);
  CHECK_FALSE(share_of(2, 0.5, 0).is_known());
  CHECK_FALSE(share_of(2, 0.5, std::nan("")).is_known());
}

TEST_CASE("a share is that of the loss' own baseline, where it has one, and R2 is never above 1") {
  const ProgressiveLoss::Part loss{.count = 4, .mean = -2, .squares = 12, .baseline = 4};
  CHECK(share_of(loss, 100).estimate == -0.5);
  CHECK(share_of(loss, 100).error == 0.25);
  CHECK(share_of(loss, 100).r2() == 1);
  CHECK(share_of(loss, 100).r2_estimate() == 1.5);
  CHECK(loss.reported().value() == 0);
  CHECK(loss.reported().estimate == -2);
  CHECK(share_of({.count = 4, .mean = 2, .squares = 12}, 8).r2() == 0.75);
  CHECK_FALSE(share_of(1e300, 1, 1e-300).is_known());  // no infinity
  CHECK_FALSE(share_of(ProgressiveLoss::Part{}, 8).is_known());
}

TEST_CASE("the spread of labels is kept, and not known of states that have none") {
  LabelSpread labels;
  labels.add(1);
  labels.add(5);
  State state;
  state.begin();
  labels.save(state);
  state.finish();
  LabelSpread again;
  REQUIRE(again.restore(state).has_value());
  CHECK(again.variance() == 4);
  State none;
  none.begin();
  none.finish();
  REQUIRE(again.restore(none).has_value());
  CHECK(std::isnan(again.variance()));
  State wrong;
  wrong.begin();
  wrong.put_number("labels.count", std::uint64_t{2});
  const auto spread = wrong.put<double>("labels.spread", 2);
  spread[0] = 0;
  spread[1] = -1;
  wrong.finish();
  CHECK_FALSE(again.restore(wrong).has_value());
}

}  // namespace label_spread_test
