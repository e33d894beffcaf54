#include "learn/gauge/label_range.h"

#include <cmath>
#include <doctest/doctest.h>

namespace label_range_test {

using namespace glimpse;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

State state_of(double min, double max) {
  State state;
  state.begin();
  state.put_number("labels.min", min);
  state.put_number("labels.max", max);
  state.finish();
  return state;
}

LabelRange range_of(std::initializer_list<double> labels) {
  LabelRange range;
  for (const double label : labels) range.add(label);
  return range;
}

}  // namespace

TEST_CASE("a range is empty until the first label, and then holds every label") {
  LabelRange range;
  CHECK(range.empty());
  range.add(-3);
  CHECK_FALSE(range.empty());
  CHECK(range.min() == -3);
  CHECK(range.max() == -3);
  range.add(2);
  range.add(1);
  CHECK(range.min() == -3);
  CHECK(range.max() == 2);
}

TEST_CASE("a range comes back to the bit, also when it is empty") {
  for (const LabelRange& range :
       {LabelRange(), range_of({0.1, 1.0 / 3}), range_of({-0.0}), range_of({-1e30, 1e30})}) {
    State state;
    state.begin();
    range.save(state);
    state.finish();
    LabelRange restored = range_of({-7, 7});
    REQUIRE(restored.restore(state, 5).has_value());
    CHECK(restored.empty() == range.empty());
    CHECK(restored.min() == range.min());
    CHECK(restored.max() == range.max());
    CHECK(std::signbit(restored.min()) == std::signbit(range.min()));
  }
}

TEST_CASE("where examples were learned but their labels are not known, every number counts as seen") {
  State old;
  old.begin();
  old.finish();
  LabelRange range;
  REQUIRE(range.restore(old, 1).has_value());
  range.add(1);
  CHECK(range.min() == -kInfinity);
  CHECK(range.max() == kInfinity);
  REQUIRE(range.restore(old, 0).has_value());
  CHECK(range.empty());
}

TEST_CASE("two numbers that are no range are refused") {
  LabelRange range = range_of({1, 2});
  CHECK(range.restore(state_of(2, 1), 5).error().code == ErrorCode::kCorrupt);
  CHECK(range.restore(state_of(std::nan(""), 1), 5).error().code == ErrorCode::kCorrupt);
  State half;
  half.begin();
  half.put_number("labels.min", 1.0);
  half.finish();
  CHECK(range.restore(half, 5).error().code == ErrorCode::kCorrupt);
  CHECK(range.min() == 1);
  CHECK(range.max() == 2);
}

}  // namespace label_range_test
