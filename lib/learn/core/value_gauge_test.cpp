#include "learn/core/value_gauge.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"

using namespace glimpse;

namespace {

using Verdict = ValueGauge::Verdict;

ValueGauge one_attribute(GaugeUnits units = GaugeUnits::kOwn) { return {1, units, true}; }

// A letter a value: b believed, c cut, l left out, B begun again.
std::string judge_all(ValueGauge& gauge, const std::vector<double>& values) {
  std::string verdicts;
  for (double x : values) {
    switch (gauge.judge(0, x)) {
      case Verdict::kBelieve:
        verdicts += 'b';
        break;
      case Verdict::kCut:
        verdicts += 'c';
        break;
      case Verdict::kLeaveOut:
        verdicts += 'l';
        break;
      case Verdict::kBegin:
        verdicts += 'B';
        break;
    }
  }
  return verdicts;
}

double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * M_PI * random.uniform());
}

std::vector<double> ordinary(std::size_t count, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(normal(random));
  return values;
}

}  // namespace

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

TEST_CASE("a wild value among ordinary ones is left out, and the next ordinary ones are not") {
  for (const double wild : {1e3, -1e4, 1e12, 1e30}) {
    for (const std::size_t before : {8U, 30U, 100U, 3000U}) {
      ValueGauge gauge = one_attribute();
      judge_all(gauge, ordinary(before));
      const std::string verdict = judge_all(gauge, {wild});
      if (before >= 30 || std::abs(wild) > 1e4) CHECK(verdict == "l");
      if (verdict == "l") CHECK(judge_all(gauge, ordinary(200, 2)) == std::string(200, 'b'));
    }
  }
}

TEST_CASE("of the first values the wild one is found out by those after it, whichever it was") {
  for (std::size_t at = 0; at < 4; ++at) {
    ValueGauge gauge = one_attribute();
    std::vector<double> values = ordinary(60);
    values[at] = 1e30;
    const std::string verdicts = judge_all(gauge, values);
    INFO(at, " ", verdicts);
    CHECK(verdicts.find('l') == std::string::npos);
    CHECK(verdicts.find('B') != std::string::npos);
    CHECK(verdicts.find('B') == verdicts.rfind('B'));
    CHECK(verdicts.find('B') <= ValueGauge::kWitnesses + 5);
    CHECK(judge_all(gauge, {1e6}) == "l");
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

TEST_CASE("a hundredth of the values is a tail to be learned from after eleven of them") {
  ValueGauge gauge = one_attribute();
  for (int i = 0; i < 255; ++i) judge_all(gauge, {1, -1});
  std::string verdicts;
  for (int k = 0; k < 20; ++k) {
    verdicts += judge_all(gauge, {101.0 + k});
    for (int i = 0; i < 99; ++i) judge_all(gauge, {-1});
  }
  // The k-th brings the sum to 200k − 99(k − 1), which is 1,200 at least from the eleventh on. All from the
  // least of them, 100, on are believed then.
  CHECK(verdicts == "llllllllllbbbbbbbbbb");
  CHECK(gauge.trusted(0).high > 4 * 100);
  double x = 1 + 300;
  CHECK(gauge.judge(0, x) == Verdict::kCut);
}

TEST_CASE("of two in a thousand values that are a hundred deviations away nearly none is learned from") {
  std::size_t wild = 0;
  std::size_t learned = 0;
  std::size_t lost = 0;
  for (std::uint64_t series = 1; series <= 50; ++series) {
    ValueGauge gauge = one_attribute();
    Random random(series);
    judge_all(gauge, ordinary(300, 1000 + series));
    for (int i = 0; i < 20000; ++i) {
      const bool is_wild = random.uniform() < 0.002;
      double x = is_wild ? (random.uniform() < 0.5 ? -100 : 100) : normal(random);
      const bool is_left_out = gauge.judge(0, x) == Verdict::kLeaveOut;
      wild += is_wild ? 1 : 0;
      learned += is_wild && !is_left_out ? 1 : 0;
      lost += !is_wild && is_left_out ? 1 : 0;
    }
  }
  // 40 a series. One in 10,881 of them brings the sum to its end (twenty million in a simulation), after
  // which the others of the series are believed, 20 of them on average: 4 are expected, and 50 are more than
  // those of one such series.
  INFO(wild, " ", learned);
  CHECK(wild > 1900);
  CHECK(learned <= 50);
  CHECK(lost == 0);
}

TEST_CASE("a tail of four in a hundred is believed after some ten values, whatever its size") {
  for (const double size : {10.0, 1e3, 1e12}) {
    ValueGauge gauge = one_attribute();
    Random random(5);
    judge_all(gauge, ordinary(300));
    std::size_t bounded = 0;
    for (int i = 0; i < 10000; ++i) {
      double x = normal(random);
      if (random.uniform() < 0.04) x = size * (1 + random.uniform());
      bounded += gauge.judge(0, x) != Verdict::kBelieve ? 1 : 0;
    }
    INFO(size, " ", bounded);
    CHECK(bounded <= 10);
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

TEST_CASE("a value far beyond the bound doubles it, several in a row soon make it any size") {
  ValueGauge gauge = one_attribute();
  judge_all(gauge, ordinary(1000));
  const std::vector<double> scale(20, 1e6);
  const std::string verdicts = judge_all(gauge, scale);
  CHECK(verdicts.find('b') <= 7);
  CHECK(verdicts.find('l', verdicts.find('b')) == std::string::npos);

  ValueGauge heavy = one_attribute();
  judge_all(heavy, ordinary(1000));
  std::size_t bounded = 0;
  for (int i = 0; i < 40; ++i) {  // one in a hundred is a thousand times as large
    bounded += judge_all(heavy, {1000}) != "b" ? 1 : 0;
    judge_all(heavy, ordinary(99, 7));
  }
  CHECK(bounded >= 5);
  CHECK(bounded <= 10);
}

TEST_CASE("honest heavy tails lose a few values in ten thousand") {
  for (const double sigma : {1.0, 2.0, 3.0}) {  // log-normal
    ValueGauge gauge = one_attribute();
    Random random(3);
    std::size_t bounded = 0;
    for (int i = 0; i < 10000; ++i) {
      double x = std::exp(sigma * normal(random));
      bounded += gauge.judge(0, x) != Verdict::kBelieve ? 1 : 0;
    }
    INFO(sigma);
    CHECK(bounded <= 10);
  }
}

TEST_CASE("rare values of sparse attributes are believed, the first of them too") {
  ValueGauge gauge = one_attribute();
  const std::vector<double> zeros(5000, 0.0);
  for (const double value : {1.0, 1.0, 3.0, 7.0, 255.0, 1.0}) {
    CHECK(judge_all(gauge, {value}) == "b");
    CHECK(judge_all(gauge, zeros) == std::string(5000, 'b'));
  }
}

TEST_CASE("a wild value that is the first of a sparse attribute is found out") {
  ValueGauge gauge = one_attribute();
  judge_all(gauge, std::vector<double>(100, 0.0));
  CHECK(judge_all(gauge, {1e20}) == "b");
  std::string verdicts;
  for (int i = 0; i < 20; ++i) verdicts += judge_all(gauge, {0, 0, 1.0 + 0.1 * i});
  CHECK(verdicts.find('B') != std::string::npos);
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

TEST_CASE("a saved gauge goes on as if nothing had happened") {
  for (const std::size_t stop : {0U, 1U, 2U, 5U, 17U, 300U, 480U}) {
    std::vector<double> values = ordinary(600);
    values[3] = 1e9;
    values[400] = -1e9;
    for (const std::size_t at : {290U, 310U, 450U, 500U}) values[at] = 300;
    ValueGauge whole = one_attribute();
    const std::string all = judge_all(whole, values);
    ValueGauge first = one_attribute();
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(stop);
    const std::string before = judge_all(first, {values.begin(), middle});
    State state;
    state.begin();
    first.save(state);
    state.finish();
    ValueGauge second = one_attribute();
    REQUIRE(second.restore(state).has_value());
    CHECK(before + judge_all(second, {middle, values.end()}) == all);
  }
}

TEST_CASE("a state that is none of a gauge is refused, by name") {
  ValueGauge gauge = one_attribute();
  judge_all(gauge, ordinary(10));
  State state;
  state.begin();
  gauge.save(state);
  state.put<double>("gauge.centres", 2)[0] = NAN;
  state.finish();
  const Status status = gauge.restore(state);
  REQUIRE(status.has_error());
  CHECK(status.error().message.find("gauge") != std::string::npos);
}

TEST_CASE("a state of an earlier build, without evidence, goes on with none") {
  ValueGauge gauge = one_attribute();
  judge_all(gauge, ordinary(300));
  judge_all(gauge, {300, 0.1, 300, 0.1, 300, 0.1});
  State state;
  state.begin();
  gauge.save(state);
  state.finish();
  State old;
  old.begin();
  old.put_copy<double>("gauge.centres", *state.get<double>("gauge.centres"));
  old.put_copy<float>("gauge.distances", *state.get<float>("gauge.distances"));
  old.put_copy<std::uint8_t>("gauge.counts", *state.get<std::uint8_t>("gauge.counts"));
  old.put_copy<std::uint32_t>("gauge.exponents", *state.get<std::uint32_t>("gauge.exponents"));
  old.put_copy<std::uint64_t>("gauge.shared", *state.get<std::uint64_t>("gauge.shared"));
  old.finish();
  REQUIRE(ValueGauge::check(old, 2).has_value());
  ValueGauge restored = one_attribute();
  REQUIRE(restored.restore(old).has_value());
  CHECK(restored.trusted(0).high == gauge.trusted(0).high);
  // Less 1 for each value between them, six come to 1,195 and seven are enough, or four after three.
  const std::vector<double> wild = {300, 0.1, 300, 0.1, 300, 0.1, 300, 0.1, 300, 0.1, 300, 0.1, 300};
  CHECK(judge_all(restored, wild) == "lblblblblblbb");
  CHECK(judge_all(gauge, wild) == "lblblbbbbbbbb");
}

TEST_CASE("evidence for what was left out is kept, and is refused where it cannot be") {
  for (const std::uint32_t evidence : {0U, 1199U, 1200U}) {
    ValueGauge gauge = one_attribute();
    judge_all(gauge, ordinary(300));
    REQUIRE(judge_all(gauge, {300, 0.1}) == "lb");
    State state;
    state.begin();
    gauge.save(state);
    state.put<std::uint32_t>("gauge.evidence", 2)[0] = evidence;
    state.finish();
    const Status status = gauge.restore(state);
    CHECK(status.has_value() == (evidence < 1200));
    if (!status) CHECK(status.error().message.find("gauge.evidence") != std::string::npos);
    // 200 more are enough for one, not for the other.
    if (status) CHECK(judge_all(gauge, {300}) == (evidence == 0 ? "l" : "b"));
  }
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

TEST_CASE("a value 10,000 times all others is refuted by six of them, so that sparse data has enough") {
  ValueGauge gauge = one_attribute();
  CHECK(judge_all(gauge, {0, 0, 0, 1e4, 0, 1, 0.5, 0, 1.5, 1, 0, 0.7}) == "bbbbbbbbbbbb");
  CHECK(judge_all(gauge, {0, 0.9}) == "bB");
  ValueGauge nearer = one_attribute();
  CHECK(judge_all(nearer, {0, 0, 0, 100, 0, 1, 0.5, 0, 1.5, 1, 0, 0.7, 0, 0.9}) == "bbbbbbbbbbbbbb");
}

TEST_CASE("what a run that bounds nothing has seen bounds the next that does") {
  ValueGauge keeps(1, GaugeUnits::kOwn, false);
  judge_all(keeps, ordinary(100));
  State state;
  state.begin();
  keeps.save(state);
  state.finish();
  ValueGauge bounds = one_attribute();
  REQUIRE(bounds.restore(state).has_value());
  CHECK(judge_all(bounds, {0.5, 1e30, -0.3}) == "blb");
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
      counted.count(0, given);
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
