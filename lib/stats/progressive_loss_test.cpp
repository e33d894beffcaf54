#include "stats/progressive_loss.h"

#include <algorithm>
#include <array>
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

TEST_CASE("recent are the last N examples and up to a tenth more, however many came before") {
  for (const std::uint64_t recent : {1, 3, 20, 1000}) {
    CAPTURE(recent);
    ProgressiveLoss loss;
    loss.set_recent(recent);
    for (int t = 1; t <= 5000; ++t) {
      loss.add(t);
      const ProgressiveLoss::Part part = loss.recent();
      const auto n = static_cast<double>(part.count);
      CHECK(part.count >= std::min<std::uint64_t>(recent, static_cast<std::uint64_t>(t)));
      CHECK(part.count <= recent + (recent + 9) / 10);
      CHECK(part.mean == doctest::Approx(t - (n - 1) / 2));
      if (part.count > 1) CHECK(part.standard_error() == doctest::Approx(std::sqrt((n + 1) / 12)));
    }
    loss.begin_recent();
    CHECK(loss.recent().count == 0);
    loss.add(5);
    CHECK(loss.recent().mean == 5);
  }
}

TEST_CASE("an example beyond all others leaves no trace in the recent ones once it is old") {
  ProgressiveLoss loss;
  for (int t = 0; t < 100; ++t) loss.add(1);
  loss.add(1e60);
  for (int t = 0; t < 1200; ++t) loss.add(t % 2 == 0 ? 1 : 2);
  CHECK(loss.recent().mean == doctest::Approx(1.5).epsilon(0.001));
  CHECK(loss.recent().standard_error() < 0.02);
}

TEST_CASE("later estimates are those since the second to last power of two, also of a saved loss") {
  ProgressiveLoss loss;
  for (int t = 1; t <= 5000; ++t) loss.add(t);
  CHECK(loss.later().count == 5000 - 2048);
  CHECK(loss.later().mean == doctest::Approx((2049 + 5000) / 2.0));
  State state;
  state.begin();
  loss.save(state);
  state.finish();
  ProgressiveLoss restored;
  REQUIRE(restored.restore(state).has_value());
  CHECK(restored.later().mean == loss.later().mean);
  CHECK(restored.later().squares == loss.later().squares);
}

TEST_CASE("what is predicted without a model counts for the total alone") {
  ProgressiveLoss loss;
  loss.add(1e18, 1, false);
  for (const double x : {1.0, 2.0, 3.0, 6.0}) loss.add(x);
  CHECK(loss.total().mean == doctest::Approx(1e18 / 5));
  CHECK(loss.with_model().mean == doctest::Approx(3));
  CHECK(loss.recent().mean == doctest::Approx(3));
}

TEST_CASE("a recent loss has the loss of the labels' mean over the same examples beside it") {
  ProgressiveLoss loss;
  CHECK(std::isnan(loss.recent().baseline));
  for (int t = 0; t < 5000; ++t) {
    loss.add(1);
    loss.add_baseline(t < 3900 ? 1e15 : t % 2 == 0 ? 2 : 4);
  }
  CHECK(loss.beside_baseline().baseline > 1e29);
  loss.add(1);
  loss.add_baseline(std::nan(""));  // not known
  CHECK(std::isnan(loss.beside_baseline().baseline));
  CHECK(loss.recent().baseline == doctest::Approx(10));
}

TEST_CASE("the recent examples of two losses are merged, and are no more than those of one") {
  ProgressiveLoss a;
  ProgressiveLoss b;
  for (int t = 0; t < 5000; ++t) {
    a.add(1);
    b.add(t < 4900 ? 100 : 3);
  }
  a.merge(b);
  CHECK(a.recent().mean > 1);
  CHECK(a.recent().count <= 1200);
  CHECK(a.total().count == 10000);
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
  CHECK(restored.with_model().mean == loss.with_model().mean);
}

TEST_CASE("of the state of an earlier build the recent examples are those that were so there") {
  State state;
  state.begin();
  state.put_number("progressive.count", std::uint64_t{6});
  state.put_number("progressive.mean", 3.0);
  state.put_number("progressive.squares", 10.0);
  state.put_copy<std::uint64_t>("progressive.mark_counts", std::array<std::uint64_t, 2>{2, 4});
  state.put_copy<double>("progressive.marks", std::array<double, 4>{1, 0, 2, 2});
  state.finish();
  ProgressiveLoss loss;
  REQUIRE(loss.restore(state).has_value());
  CHECK(loss.total().mean == 3);
  CHECK(loss.recent().count == 4);
  CHECK(loss.recent().mean == 4);
  for (int t = 0; t < 1200; ++t) loss.add(7);
  CHECK(loss.recent().mean == 7);
}

TEST_CASE("sums that are no numbers are refused") {
  State state;
  state.begin();
  ProgressiveLoss().save(state);
  auto sums = state.put<double>("x.recent", 36);
  std::ranges::fill(sums, std::nan(""));
  state.put<std::uint64_t>("x.recent_counts", 24)[0] = 1;
  state.put_number("x.count", std::uint64_t{1});
  state.put_number("x.mean", 1.0);
  state.put_number("x.squares", 1.0);
  state.finish();
  CHECK(ProgressiveLoss().restore(state).has_value());
  CHECK(ProgressiveLoss().restore(state, "x").error().code == ErrorCode::kCorrupt);
}

}  // namespace progressive_loss_test
