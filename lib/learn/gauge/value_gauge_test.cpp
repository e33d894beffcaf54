#include "learn/gauge/value_gauge.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "learn/gauge/value_gauge_test_support.h"

namespace value_gauge_test {

using namespace glimpse;
using namespace glimpse::value_gauge_test;

TEST_CASE("ordinary values are believed as they are") {
  for (const double size : {1e-12, 1.0, 1e9, 1e29}) {
    ValueGauge gauge = one_attribute();
    for (const double value : ordinary(5000)) {
      double x = size * value;
      REQUIRE(gauge.judge(0, x) == Verdict::kBelieve);
      REQUIRE(x == size * value);
    }
    CHECK(gauge.plain());
  }
}

TEST_CASE("a value beyond the bound is cut to it, and one far beyond is left out") {
  ValueGauge gauge = one_attribute();
  for (int i = 0; i < 400; ++i) judge_all(gauge, {1, -1});  // 2 from the centre, which is 1
  double x = 8;
  CHECK(gauge.judge(0, x) == Verdict::kCut);
  CHECK(x == doctest::Approx(1 + 2 * 2).epsilon(0.01));
  x = -1e6;
  CHECK(gauge.judge(0, x) == Verdict::kLeaveOut);
}

TEST_CASE("while a value has few others to be compared with it is cut where it would be left out later") {
  ValueGauge gauge = one_attribute();
  for (int i = 0; i < 100; ++i) judge_all(gauge, {1, -1});
  double x = 100;  // 50 times as far as the others
  CHECK(gauge.judge(0, x) == Verdict::kCut);
  CHECK(gauge.trusted(0).high == std::numeric_limits<double>::infinity());
}

TEST_CASE("values beyond four times the largest distance are left out, and leave the bound as it was") {
  ValueGauge gauge = one_attribute();
  for (int i = 0; i < 255; ++i) judge_all(gauge, {1, -1});  // 255 moves, of 2
  const double most = 2 * 2 * (1 + std::pow(24.0 / 255, 3)) * 2;
  CHECK(gauge.trusted(0).high == doctest::Approx(1 + most));
  CHECK(gauge.trusted(0).low == doctest::Approx(1 - most));
  CHECK(judge_all(gauge, {9.1}) == "l");
  for (int wild = 0; wild < 50; ++wild) {  // one in 400, for and against
    for (int i = 0; i < 399; ++i) CHECK(judge_all(gauge, {-1}) == "b");
    CHECK(judge_all(gauge, {wild % 2 == 0 ? 200.0 : -200.0}) == "l");
    CHECK(gauge.trusted(0).high == doctest::Approx(1 + most));
  }
}

TEST_CASE("trusted values are in the user's units, and none is distrusted where nothing is left out") {
  ValueGauge gauge = one_attribute();
  for (int i = 0; i < 300; ++i) judge_all(gauge, {1e-300, -1e-300});
  REQUIRE(gauge.exponent(0) > 0);
  CHECK(gauge.trusted(0).high == doctest::Approx(1e-300 + 8e-300).epsilon(0.01));
  ValueGauge keeps(1, GaugeUnits::kOwn, false);
  for (int i = 0; i < 300; ++i) judge_all(keeps, {1, -1});
  CHECK(keeps.trusted(0).low == -std::numeric_limits<double>::infinity());
}

TEST_CASE("rare values of sparse attributes are believed, the first of them too") {
  ValueGauge gauge = one_attribute();
  const std::vector<double> zeros(5000, 0.0);
  for (const double value : {1.0, 1.0, 3.0, 7.0, 255.0, 1.0}) {
    CHECK(judge_all(gauge, {value}) == "b");
    CHECK(judge_all(gauge, zeros) == std::string(5000, 'b'));
  }
}

TEST_CASE("timestamps and counters are ordinary values") {
  ValueGauge gauge = one_attribute();
  for (int i = 0; i < 5000; ++i) CHECK(judge_all(gauge, {1.7e9 + i}) == "b");
  ValueGauge counter = one_attribute();
  for (int i = 0; i < 5000; ++i) CHECK(judge_all(counter, {static_cast<double>(i)}) == "b");
}

TEST_CASE("a first different label after many equal ones is left out, and learned from when it comes again") {
  ValueGauge gauge = one_attribute();
  double y = 0;
  for (int i = 0; i < 100; ++i) CHECK(gauge.judge_label(y) == Verdict::kBelieve);
  y = 1;
  CHECK(gauge.judge_label(y) == Verdict::kLeaveOut);
  for (int i = 0; i < 10; ++i) {
    y = i % 2;
    CHECK(gauge.judge_label(y) == Verdict::kBelieve);
  }
}

TEST_CASE("tiny values come in a unit of their own size, exactly") {
  for (const double size : {1e-40, 1e-200, 1e-300, 4e-324}) {
    ValueGauge gauge = one_attribute();
    double x = 3 * size;
    CHECK(gauge.judge(0, x) == Verdict::kBelieve);
    CHECK(std::abs(x) >= 1);
    CHECK(std::abs(x) < 2);
    CHECK(std::ldexp(x, -gauge.exponent(0)) == 3 * size);
    CHECK_FALSE(gauge.plain());
    x = 1;  // a hundred bits further and more: another unit, once it is believed
    std::string verdicts;
    for (int i = 0; i < 30 && gauge.exponent(0) != 0; ++i) verdicts += judge_all(gauge, {1.0 + i});
    CHECK(verdicts.find('B') != std::string::npos);
    CHECK(gauge.exponent(0) == 0);
  }
}

TEST_CASE("with fixed units tiny values are zeros, and a shared unit is that of the largest number") {
  ValueGauge fixed = one_attribute(GaugeUnits::kFixed);
  double x = 1e-200;
  fixed.judge(0, x);
  CHECK(x == 0);
  ValueGauge shared(2, GaugeUnits::kShared, true);
  const std::vector<double> values{1e-92, 3e-90};
  shared.begin_example(values, 2e-90);
  double y = 2e-90;
  shared.judge_label(y);
  double a = values[0];
  double b = values[1];
  shared.judge(0, a);
  shared.judge(1, b);
  CHECK(b / y == doctest::Approx(1.5));
  CHECK(b / a == doctest::Approx(300));
  CHECK(b >= 1);
  CHECK(b < 2);
}

TEST_CASE("what is known of an attribute bounds its first values") {
  ValueGauge gauge = one_attribute();
  gauge.expect(0, 4);
  double x = 3;
  CHECK(gauge.judge(0, x) == Verdict::kBelieve);
  x = -15;
  CHECK(gauge.judge(0, x) == Verdict::kCut);
  CHECK(x == doctest::Approx(-8).epsilon(0.01));  // twice the largest
  x = 1e20;
  CHECK(gauge.judge(0, x) == Verdict::kLeaveOut);
}

TEST_CASE("counting what is ordinary does what judging it would") {
  ValueGauge judged = one_attribute();
  ValueGauge counted = one_attribute();
  Random random(9);
  int ordinary_numbers = 0;
  const auto state_of = [](const ValueGauge& gauge) {
    State state;
    state.begin();
    gauge.save(state);
    state.finish();
    return state;
  };
  for (int t = 0; t < 20000; ++t) {
    const double sizes[] = {0, 0, 1e-40, 1, 1, 1, 1, 30, 1e4};
    const double given = sizes[random.below(9)] * (t % 7 == 0 ? 1 : normal(random));
    double x = given;
    const Verdict verdict = judged.judge(0, x);
    if (counted.is_ordinary(0, given)) {
      ++ordinary_numbers;
      REQUIRE(verdict == Verdict::kBelieve);
      REQUIRE(x == given);
      const State uncounted = state_of(counted);
      const bool is_counted = counted.is_counted(0, given);
      counted.count(0, given);
      const State now = state_of(counted);
      REQUIRE(is_counted ==
              std::ranges::equal(uncounted.tensors(), now.tensors(), {}, &Tensor::bytes, &Tensor::bytes));
    } else {
      double same = given;
      REQUIRE(counted.judge(0, same) == verdict);
      REQUIRE(same == x);
    }
    const State before = state_of(judged);
    const State after = state_of(counted);
    for (const Tensor& tensor : before.tensors()) REQUIRE(tensor.bytes == after.find(tensor.name)->bytes);
  }
  CHECK(ordinary_numbers > 10000);
}

}  // namespace value_gauge_test
