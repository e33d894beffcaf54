#include "learn/classes/class_report.h"

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/state.h"

namespace glimpse::class_report_test {
namespace {

using Probabilities = std::vector<double>;

TEST_CASE("error, log loss and Brier score of three examples are as by hand") {
  ClassReport report;
  report.add(Probabilities{0.5, 0.25, 0.25}, 0);
  report.add(Probabilities{0.5, 0.25, 0.25}, 1);
  report.add(Probabilities{0.0, 0.0, 1.0}, 2);
  CHECK(report.count() == 3);
  CHECK(report.wrong().total().mean == doctest::Approx(1.0 / 3));
  CHECK(report.log_loss().total().mean == doctest::Approx((std::log(2) + std::log(4)) / 3));
  CHECK(report.brier().total().mean == doctest::Approx((0.375 + 0.875) / 3));
  CHECK(report.confusion(0, 0) == 1);
  CHECK(report.confusion(1, 0) == 1);
  CHECK(report.confusion(2, 2) == 1);
}

TEST_CASE("bins are of the predicted class' probability, and 1 is in the last") {
  ClassReport report;
  report.add(Probabilities{0.65, 0.35}, 0);
  report.add(Probabilities{0.61, 0.39}, 1);
  report.add(Probabilities{0.0, 1.0}, 1);
  CHECK(report.bins()[6].count == 2);
  CHECK(report.bins()[6].right == 1);
  CHECK(report.bins()[6].mean_probability() == doctest::Approx(0.63));
  CHECK(report.bins()[9].count == 1);
  CHECK(report.calibration_error() == doctest::Approx((2 * std::abs(0.63 - 0.5) + 0) / 3));
  CHECK(std::isnan(ClassReport().calibration_error()));
  CHECK(std::isnan(ClassReport().bins()[9].share_error()));
  CHECK(ClassReport::Bin{98, 24, 50}.share_error() == doctest::Approx(std::sqrt(0.25 * 0.75 / 100)));
  CHECK(ClassReport::Bin{3, 3, 2.9}.share_error() == doctest::Approx(std::sqrt(0.8 * 0.2 / 5)));
}

TEST_CASE("a class that the model does not know is one of probability 0") {
  ClassReport report;
  report.add(Probabilities{0.75, 0.25}, std::nullopt);
  CHECK(report.wrong().total().mean == 1);
  CHECK(report.brier().total().mean == doctest::Approx(1 + 0.625));
  CHECK(report.log_loss().total().mean == doctest::Approx(-std::log(1e-9)));
  CHECK(report.confusion(report.confused(), 0) == 1);
  report.add({}, std::nullopt);  // before any class there was nothing to predict
  CHECK(report.count() == 2);
  CHECK(report.confusion(2, 2) == 1);
}

TEST_CASE("new classes get rows of their own, the first 64 of them") {
  ClassReport report;
  report.add(Probabilities{1.0}, 0);
  report.add(Probabilities{1.0}, std::nullopt);
  Probabilities many(100, 0.0);
  many[80] = 1;
  report.add(many, 90);
  report.add(many, 3);
  CHECK(report.confused() == ClassReport::kMostConfused);
  CHECK(report.confusion(0, 0) == 1);
  CHECK(report.confusion(64, 0) == 1);
  CHECK(report.confusion(64, 64) == 1);
  CHECK(report.confusion(3, 64) == 1);
}

TEST_CASE("a report comes back from a state to the bit, and goes on as if nothing had been") {
  ClassReport report;
  for (int i = 0; i < 37; ++i) report.add(Probabilities{0.1 + 0.02 * i, 0.9 - 0.02 * i}, i % 2);
  State state;
  state.begin();
  report.save(state, "x");
  state.finish();
  ClassReport other;
  REQUIRE(other.restore(state, "x").has_value());
  for (ClassReport* each : {&report, &other}) each->add(Probabilities{0.2, 0.3, 0.5}, 2);
  State a;
  a.begin();
  report.save(a, "x");
  a.finish();
  State b;
  b.begin();
  other.save(b, "x");
  b.finish();
  REQUIRE(a.tensors().size() == b.tensors().size());
  for (std::size_t t = 0; t < a.tensors().size(); ++t) CHECK(a.tensors()[t].bytes == b.tensors()[t].bytes);
}

TEST_CASE("a confusion that is no square is refused") {
  State state;
  state.begin();
  ClassReport().save(state, "x");
  state.put_copy<std::uint64_t>("x.confusion", std::array<std::uint64_t, 3>{1, 2, 3});
  state.finish();
  ClassReport report;
  CHECK(report.restore(state, "x").error().code == ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace glimpse::class_report_test
