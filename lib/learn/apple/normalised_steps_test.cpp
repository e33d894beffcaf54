#include "learn/apple/normalised_steps.h"

#include <algorithm>
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

double number(const State& state, const char* name, std::size_t i) { return (*state.get<double>(name))[i]; }

// What u and both averages say of an example, clipped to the labels: from what is kept of them.
std::vector<double> predictions(const State& state, const Features& features) {
  const std::size_t bias = state.get<double>("expansion.weights")->size() - 1;
  const auto u = [&](std::size_t slot, std::size_t k) {
    const double value = number(state, "expansion.weights", slot);
    return k == 0 ? value
                  : value - number(state, "expansion.lags", 2 * slot + k - 1) /
                                number(state, "expansion.averages", k - 1);
  };
  std::vector<double> all;
  for (std::size_t k = 0; k < 3; ++k) {
    double sum = number(state, "expansion.label_mean", 0) + u(bias, k);
    for (const FeatureValue& feature : features) {
      const double scale = number(state, "expansion.scales", feature.slot);
      if (scale == 0) continue;
      const double most = std::min(std::max(scale, std::abs(feature.value)), 2 * scale);
      sum += u(feature.slot, k) * std::clamp(feature.value / most, -1.0, 1.0);
    }
    all.push_back(number(state, "expansion.sums", 0) > 0
                      ? std::clamp(sum, number(state, "expansion.label_range", 0),
                                   number(state, "expansion.label_range", 1))
                      : sum);
  }
  return all;
}

// The averages of one weight and the losses as they are said, all sums shrinking with each example.
struct Naive {
  explicit Naive(double factor) : fade(factor) {}
  double fade;
  double seen = 0;
  double averages[2] = {};
  double losses[3] = {};
  void judge(const State& before, const Features& features, double label, double importance) {
    const auto all = predictions(before, features);
    for (std::size_t k = 0; k < 3; ++k)
      losses[k] = fade * losses[k] + importance * (all[k] - label) * (all[k] - label);
  }
  void follow(double u, double importance) {
    seen *= fade;
    for (std::size_t k = 0; k < 2; ++k) {
      const double counts = (k == 0 ? 1 : 8) * importance;
      if (seen > 0) averages[k] += (u - averages[k]) * counts / (seen + counts);
    }
    seen += importance;
  }
};

// The same without the averages, as earlier builds kept it.
State without_averages(const State& now) {
  State old;
  old.begin();
  for (const Tensor& tensor : now.tensors())
    if (tensor.name != "expansion.lags" && tensor.name != "expansion.averages" &&
        tensor.name != "expansion.losses")
      old.put_copy<double>(tensor.name, *now.get<double>(tensor.name));
  old.finish();
  return old;
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

TEST_CASE("a label near the mean with a large importance leaves a step and sums that are numbers") {
  Random random(3);
  const auto two_digits = [&] { return std::round(200 * (random.uniform() - 0.5)) / 100; };
  for (const double half_life : {0.0, 1000.0})
    for (int run = 0; run < 300; ++run) {
      NormalisedSteps steps(2, {.half_life = half_life});
      for (const double importance : {1.0, 1e20, 1.0, 1e-20, 1e20, 1.0})
        steps.learn(Features{{0, two_digits()}, {1, two_digits()}}, two_digits(), importance);
      REQUIRE(std::isfinite(steps.step_size()));
      REQUIRE(number(kept(steps, 2), "expansion.sums", 1) >= 0);
    }
}

TEST_CASE("a prediction beyond all labels on the right side is no error, and changes nothing") {
  NormalisedSteps steps(1, {.rate = 2});
  for (int t = 0; t < 400; ++t) {
    const double sign = t % 2 == 0 ? 1 : -1;
    steps.learn(Features{{0, t % 4 < 2 ? sign : 2 * sign}}, sign, 1);
  }
  REQUIRE(steps.predict(Features{{0, 2}}) > 1.05);
  const double weight = steps.worth(0);  // of u: the average goes on towards it
  const double bias = steps.bias();
  REQUIRE(steps.learn(Features{{0, 2}}, 1, 1));
  CHECK(steps.prediction_before() == 1);
  CHECK(steps.worth(0) == weight);
  CHECK(steps.bias() == doctest::Approx(bias).epsilon(0.05));  // ȳ moves, u₀ does not
  REQUIRE(steps.learn(Features{{0, 2}}, -1, 1));
  CHECK(steps.worth(0) < weight);
}

TEST_CASE("the averages are those of all weights so far, and the model is what predicted best") {
  constexpr std::uint32_t kWatched = 2;
  for (const double half_life : {0.0, 50.0}) {
    NormalisedSteps steps(4, {.half_life = half_life});
    Stream stream;
    Naive naive(std::exp2(half_life > 0 ? -1 / half_life : 0));
    for (int t = 0; t < 4000; ++t) {  // with a half-life C of the last eighth is divided by 2²⁰⁰ twice
      stream.next();
      const double importance = t % 3 == 0 ? 5 : 1;
      naive.judge(kept(steps, 4), stream.features, stream.label, importance);
      REQUIRE(steps.learn(stream.features, stream.label, importance));
      const State state = kept(steps, 4);
      const double u = number(state, "expansion.weights", kWatched);
      naive.follow(u, importance);
      const double unit = number(state, "expansion.sums", 4) * naive.fade;  // what the example added
      std::vector<double> weights{u};
      for (std::size_t k = 0; k < 2; ++k) {
        weights.push_back(u - number(state, "expansion.lags", 2 * kWatched + k) /
                                  number(state, "expansion.averages", k));
        REQUIRE(weights.back() == doctest::Approx(naive.averages[k]).epsilon(1e-9));
      }
      for (std::size_t k = 0; k < 3; ++k)
        REQUIRE(number(state, "expansion.losses", k) ==
                doctest::Approx(naive.losses[k] * unit).epsilon(1e-6));
      const double scale = number(state, "expansion.scales", kWatched);
      if (scale > 0) REQUIRE(steps.weight(kWatched) == weights[steps.model()] / scale);
      for (std::size_t k = 0; k < 3; ++k)
        REQUIRE(number(state, "expansion.losses", steps.model()) <= number(state, "expansion.losses", k));
    }
    CHECK(steps.model() > 0);
  }
}

TEST_CASE("where labels are noise an average is the model, and nearer to the mean than the last weights") {
  NormalisedSteps steps(3, {});
  Random random(3);
  double error = 0;
  double last = 0;
  for (int t = 0; t < 20000; ++t) {
    Features features;
    for (std::uint32_t i = 0; i < 3; ++i) features.push_back({i, random.uniform() - 0.5});
    if (t >= 10000) {
      error += std::pow(steps.predict(features) - 0.5, 2);
      last += std::pow(predictions(kept(steps, 3), features)[0] - 0.5, 2);
    }
    steps.learn(features, random.uniform(), 1);
  }
  CHECK(steps.model() == 1);  // all examples alike
  CHECK(error < 0.05 * last);
}

TEST_CASE("one value far beyond all others doubles the scale, and halves the weight at most") {
  NormalisedSteps steps(1, {});
  for (int t = 0; t < 4000; ++t) steps.learn(Features{{0, t % 2 == 0 ? 1.0 : -1.0}}, t % 2 == 0 ? 1 : -1, 1);
  const double weight = steps.weight(0);
  REQUIRE(weight > 0.9);
  REQUIRE(steps.learn(Features{{0, 1e6}}, 1, 1));
  CHECK(number(kept(steps, 1), "expansion.scales", 0) == 2);
  CHECK(steps.weight(0) >= 0.49 * weight);
  REQUIRE(steps.learn(Features{{0, 3}}, 1, 1));  // less than twice 2
  CHECK(number(kept(steps, 1), "expansion.scales", 0) == 3);
}

TEST_CASE("a checkpoint of earlier builds, without averages, has them begin at the weights") {
  NormalisedSteps steps(4, {});
  Stream stream;
  for (int t = 0; t < 300; ++t) {
    stream.next();
    steps.learn(stream.features, stream.label, 1);
  }
  NormalisedSteps old(4, {});
  REQUIRE(old.restore(without_averages(kept(steps, 4)), 4).has_value());
  CHECK(old.model() == 0);
  CHECK(old.worth(1) == steps.worth(1));
  const State state = kept(old, 4);
  CHECK(number(state, "expansion.lags", 3) == 0);
  CHECK(number(state, "expansion.averages", 0) == 1);
  for (int t = 0; t < 300; ++t) {
    stream.next();
    steps.learn(stream.features, stream.label, 1);
    REQUIRE(old.learn(stream.features, stream.label, 1));
  }
  CHECK(old.worth(1) == steps.worth(1));  // steps are taken by u, whatever the averages are
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
