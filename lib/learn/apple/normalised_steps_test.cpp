#include "learn/apple/normalised_steps.h"

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"

namespace normalised_steps_test {

using namespace glimpse;

namespace {

using Features = std::vector<FeatureValue>;

// A stream of four features and a label that is linear in them.
struct Stream {
  Random random{5};
  Features features;
  double label = 0;
  void next() {
    features.clear();
    label = 0.2 * (random.uniform() - 0.5) + 1;
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (random.uniform() < 0.3) continue;
      features.push_back({i, random.uniform() - 0.5});
      label += (static_cast<double>(i) - 1) * features.back().value;
    }
  }
};

State kept(const NormalisedSteps& steps, std::size_t slots) {
  State state;
  state.begin();
  steps.save(state, slots);
  state.finish();
  return state;
}

}  // namespace

TEST_CASE("the first steps by hand") {
  NormalisedSteps steps(2, {.rate = 1});
  // One label: nothing to explain, and no deviation to step by.
  REQUIRE(steps.learn(Features{{0, 2}}, 3, 1));
  CHECK(steps.bias() == 3);
  CHECK(steps.weight(0) == 0);
  // ȳ = 2, L = 1; s₀ = 4, z = (−1, 1), r = 1; N = 2 + 3, T = 2, G = 1 each: a = √(2/5), q = 3a.
  CHECK(steps.predict(Features{{0, -4}, {1, 1}}) == 3);
  REQUIRE(steps.learn(Features{{0, -4}, {1, 1}}, 1, 1));
  const double q = 3 * std::sqrt(2.0 / 5);
  const double u = (1 - std::exp(-q)) / 3;
  CHECK(steps.step_size() == doctest::Approx(std::sqrt(2.0 / 5)));
  CHECK(steps.weight(0) == doctest::Approx(u / 4));
  CHECK(steps.weight(1) == doctest::Approx(-u));
  CHECK(steps.bias() == doctest::Approx(2 - u));
  // As far towards the label as e^−q leaves.
  CHECK(steps.predict(Features{{0, -4}, {1, 1}}) == doctest::Approx(1 + std::exp(-q)));
  // Importance 2: ȳ = 2 − 2·2/4 = 1, Σ h(y − ȳ)² = 2 + 2·2·1 = 6, L = √1.5; z = ½, r = 1 − u + u/2 − 0;
  // h r = 2r; N = 5 + 2·1.25, T = 4; G₀ = 1 + r², G of the bias = 1 + 4r².
  REQUIRE(steps.learn(Features{{0, 2}}, 0, 2));
  const double r = 1 - u / 2;
  const double a = std::sqrt(1.5) * std::sqrt(4 / 7.5);
  const double g0 = 1 + r * r;
  const double g1 = 1 + 4 * r * r;
  const double q3 = a * (0.25 / std::sqrt(g0) + 1 / std::sqrt(g1));
  const double change = -a * r * (1 - std::exp(-2 * q3)) / q3;
  CHECK(steps.weight(0) == doctest::Approx((u + change * 0.5 / std::sqrt(g0)) / 4));
  CHECK(steps.bias() == doctest::Approx(1 - u + change / std::sqrt(g1)));
  CHECK(steps.weight(1) == doctest::Approx(-u));
}

TEST_CASE("a value beyond the scale counts as the scale, in predictions as in the step that follows") {
  NormalisedSteps steps(1, {});
  for (int t = 0; t < 20; ++t) steps.learn(Features{{0, t % 2 == 0 ? 1.0 : -1.0}}, t % 2 == 0 ? 1 : 0, 1);
  CHECK(steps.weight(0) > 0.1);
  CHECK(steps.predict(Features{{0, 1e6}}) == steps.predict(Features{{0, 1.0}}));
}

TEST_CASE("units of features, labels and importances do not matter") {
  NormalisedSteps plain(4, {});
  NormalisedSteps scaled(4, {});
  Stream stream;
  for (int t = 0; t < 500; ++t) {
    stream.next();
    REQUIRE(plain.learn(stream.features, stream.label, t % 3 == 0 ? 5 : 1));
    Features other = stream.features;
    for (FeatureValue& feature : other)
      feature.value *= std::ldexp(1, static_cast<int>(feature.slot) * 7 - 9);
    REQUIRE(scaled.learn(other, 1024 * stream.label, (t % 3 == 0 ? 5 : 1) * 0x1p-8));
  }
  for (std::uint32_t i = 0; i < 4; ++i)
    CHECK(scaled.weight(i) * std::ldexp(1, static_cast<int>(i) * 7 - 9) == 1024 * plain.weight(i));
  CHECK(scaled.bias() == 1024 * plain.bias());
}

TEST_CASE(
    "a linear label is learned, with and without a bias, and one example of any importance overshoots "
    "nothing") {
  for (const bool bias : {true, false}) {
    NormalisedSteps steps(4, {.bias = bias});
    Stream stream;
    double error = 0;
    for (int t = 0; t < 20000; ++t) {
      stream.next();
      if (!bias) stream.label -= 1;
      if (t >= 15000) error += std::pow(steps.predict(stream.features) - stream.label, 2) / 5000;
      steps.learn(stream.features, stream.label, 1);
    }
    CHECK(error < 0.005);  // noise alone is .0033
    do stream.next();
    while (stream.features.size() < 3);
    const double before = steps.predict(stream.features);
    REQUIRE(steps.learn(stream.features, 100, 1e30));
    const double after = steps.predict(stream.features);
    CHECK(after > before);
    CHECK(after < 101);  // the mean is 100 now, and labels were of size 1 about it
  }
}

TEST_CASE("with a half-life a change of sign is followed, and long after the sums are still numbers") {
  for (const double half_life : {0.0, 300.0}) {
    NormalisedSteps steps(1, {.rate = 0.1, .half_life = half_life});
    Random random(1);
    double error = 0;
    for (int t = 0; t < 200000; ++t) {
      const double x = random.uniform() - 0.5;
      const double label = t < 199000 ? x : -x;
      if (t >= 199500) error += std::pow(steps.predict(Features{{0, x}}) - label, 2) / 500;
      REQUIRE(steps.learn(Features{{0, x}}, label, 1));
    }
    CHECK((error < 0.02) == (half_life > 0));  // the label's mean square is .083
  }
}

TEST_CASE("what was kept goes on to the same bits, products and forgotten features among it") {
  NormalisedSteps steps(2, {.half_life = 40});
  Stream stream;
  for (int t = 0; t < 100; ++t) {
    stream.next();
    steps.learn(stream.features, stream.label, 1);
  }
  steps.forget(3);
  CHECK(steps.weight(3) == 0);
  CHECK_FALSE(steps.has_seen(3));
  NormalisedSteps same(2, {.half_life = 40});
  REQUIRE(same.restore(kept(steps, 6), 6).has_value());
  for (int t = 0; t < 100; ++t) {
    stream.next();
    steps.learn(stream.features, stream.label, 1);
    same.learn(stream.features, stream.label, 1);
  }
  const State a = kept(steps, 6);
  const State b = kept(same, 6);
  for (std::size_t k = 0; k < a.tensors().size(); ++k) CHECK(a.tensors()[k].bytes == b.tensors()[k].bytes);
}

}  // namespace normalised_steps_test
