#include "lab/results/attributes_needed.h"

#include <cmath>
#include <doctest/doctest.h>

namespace attributes_needed_test {

using namespace glimpse;

namespace {

SummaryPoint point(double attributes, double loss) {
  SummaryPoint p;
  p.attributes = attributes;
  p.mean = loss;
  return p;
}

const SummaryCurve kCurve{"Pairwise", {point(10, 1), point(100, 0.8), point(1000, 0.4)}};

}  // namespace

TEST_CASE("the attributes for a loss lie on the line between two points, in the attributes' logarithm") {
  CHECK(*attributes_needed(kCurve, 0.9) == doctest::Approx(10 * std::sqrt(10.0)));
  CHECK(*attributes_needed(kCurve, 0.8) == doctest::Approx(100));
  CHECK(*attributes_needed(kCurve, 0.5) == doctest::Approx(100 * std::pow(10.0, 0.75)));
}

TEST_CASE("a loss above the whole curve needs its first point, one below it is not reached") {
  CHECK(*attributes_needed(kCurve, 2) == 10);
  CHECK_FALSE(attributes_needed(kCurve, 0.39).has_value());
}

TEST_CASE("the table compares the first curve with each other one at its end") {
  CHECK(attributes_table(
            {kCurve, {"DDAERR", {point(50, 2), point(1000, 0.8)}}, {"Ridge", {point(500, 0.3)}}}) ==
        "rival,attributes,loss,attributes_needed,ratio,loss_at_the_end\n"
        "DDAERR,1000,0.8000,100,0.1000,0.4000\n"
        "Ridge,500,0.3000,,,0.4000\n");
}

}  // namespace attributes_needed_test
