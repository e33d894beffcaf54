#include "gen/wide_set.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

namespace glimpse::wide_set_test {
namespace {

WideOptions groups_of(std::size_t group, double agreement) {
  WideOptions options;
  options.dimension = 40;
  options.chance = 0.3;
  options.relevant = 20;
  options.group = group;
  options.agreement = agreement;
  options.noise = 0.5;
  return options;
}

}  // namespace

TEST_CASE("so many attributes are relevant, by whole groups, with weights of both signs") {
  WideOptions options = groups_of(5, 0.9);
  options.dimension = 1003;
  options.relevant = 200;
  const WideSet set(options);
  std::size_t relevant = 0;
  std::size_t positive = 0;
  for (std::size_t i = 0; i < 1003; ++i) {
    CHECK((set.weights()[i] != 0) == (set.weights()[i - i % 5] != 0));
    relevant += set.weights()[i] != 0 ? 1 : 0;
    positive += set.weights()[i] > 0 ? 1 : 0;
  }
  CHECK(relevant == 200);
  CHECK(positive > 60);
  CHECK(positive < 140);
}

TEST_CASE("the label is the weights' product with the values that are shown") {
  WideOptions options = groups_of(4, 0.7);
  options.noise = 0;
  WideSet set(options);
  for (int n = 0; n < 200; ++n) {
    const double label = set.next();
    double sum = 0;
    for (Attribute i = 0; i < 40; ++i) sum += set.weights()[i] * set.value(i);
    REQUIRE(sum == label);
  }
}

TEST_CASE("the risk is what the examples show") {
  for (const double agreement : {0.0, 0.8}) {
    CAPTURE(agreement);
    WideSet set(groups_of(4, agreement));
    std::vector<double> weights(40);
    for (std::size_t i = 0; i < 40; ++i) weights[i] = 0.1 * static_cast<double>(i % 7) - 0.2;
    const int count = 200000;
    double sum = 0;
    double labels = 0;
    double squares = 0;
    for (int n = 0; n < count; ++n) {
      const double label = set.next();
      double error = 0.25 - label;
      for (Attribute i = 0; i < 40; ++i) error += weights[i] * set.value(i);
      sum += error * error;
      labels += label;
      squares += label * label;
    }
    // A mean of so many squares is within 4 standard errors: of the order of √(2/n) times itself.
    const double tolerance = 4 * std::sqrt(3.0 / count);
    CHECK(sum / count == doctest::Approx(set.risk(weights, 0.25)).epsilon(tolerance));
    CHECK(squares / count == doctest::Approx(set.risk(std::vector<double>(40), 0)).epsilon(tolerance));
    CHECK(squares / count - labels / count * labels / count ==
          doctest::Approx(set.variance()).epsilon(tolerance));
    CHECK(set.risk(set.weights(), 0) == 0.25);
  }
}

TEST_CASE("chances fall as the power says") {
  WideOptions options;
  options.dimension = 1000;
  options.chance = 1;
  options.alpha = -1;
  options.relevant = 300;
  WideSet set(options);
  CHECK(set.moments()[9] == doctest::Approx(0.1));
  int seen = 0;
  for (int n = 0; n < 100000; ++n) {
    set.next();
    seen += set.value(0) == 1 ? 0 : 1000000;
    seen += set.value(9) == 1 ? 1 : 0;
  }
  CHECK(std::abs(seen - 10000) < 400);  // 4 standard errors
}

TEST_CASE("options that cannot be are refused by name") {
  WideOptions options = groups_of(3, 0);
  CHECK(validate(options).error().message ==
        "--relevant is 20; it must be from 1 to the dimension, and a multiple of --group");
  options = groups_of(4, 0.5);
  options.alpha = -1;
  CHECK(validate(options).error().message == "--agreement is 0.5; it must be 0 where --alpha is not 0");
  options = groups_of(1, 0);
  options.chance = 0;
  CHECK(validate(options).error().message == "--chance is 0; it must be above 0 and at most 1");
}

}  // namespace glimpse::wide_set_test
