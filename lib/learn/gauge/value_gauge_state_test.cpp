// What a saved gauge holds, and states that are none of a gauge.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "learn/gauge/value_gauge_test_support.h"

namespace value_gauge_state_test {

using namespace glimpse;
using namespace glimpse::value_gauge_test;

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

}  // namespace value_gauge_state_test
