#include "learn/iterates/exponentiated_weights.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"

namespace exponentiated_weights_test {

using namespace glimpse;

TEST_CASE("weights are B times the normalised difference of z+ and z-") {
  ExponentiatedWeights weights(2, 3);
  CHECK(weights.weight(0, 1) == 0);
  weights.step(0, -std::log(2.0), 1);  // z+ = 2, z− = ½; Z = 2½ + 2
  weights.end_step();
  CHECK(weights.weight(0, 1) == doctest::Approx(3 * 1.5 / 4.5));
  CHECK(weights.weight(1, 1) == 0);
  weights.step(1, std::log(2.0), 1);  // z+ = ½, z− = 2; Z = 5
  weights.end_step();
  CHECK(weights.weight(0, 1) == doctest::Approx(3 * 1.5 / 5));
  CHECK(weights.weight(1, 1) == doctest::Approx(-3 * 1.5 / 5));
  CHECK(weights.unscaled(0, 2) == doctest::Approx(weights.unscaled(0, 1) / 2));
}

TEST_CASE("a step is clipped to an exponent of one") {
  ExponentiatedWeights weights(1, 1);
  weights.step(0, -1000, 1);
  CHECK(weights.weight(0, 1) == doctest::Approx(std::tanh(1.0)));
  weights.step(0, 1e300, 1);
  CHECK(weights.weight(0, 1) == doctest::Approx(0));
  CHECK_FALSE(weights.accepts_step(0, NAN, 1));
}

// 30 coordinates whose exponents wander up to some hundreds, so that the common exponent must follow; against
// whole vectors with the largest exponent taken out.
TEST_CASE("weights and averages are those of whole vectors on a long run, also after a restore") {
  constexpr std::size_t kSize = 30;
  constexpr double kRadius = 5;
  ExponentiatedWeights weights(kSize, kRadius);
  ExponentiatedWeights restored(kSize, kRadius);
  std::vector<double> theta(kSize);
  std::vector<double> sum(kSize);
  Random random(6);
  const auto whole = [&] {
    double largest = 0;
    for (const double t : theta) largest = std::max(largest, std::abs(t));
    double z = 0;
    for (const double t : theta) z += std::exp(t - largest) + std::exp(-t - largest);
    std::vector<double> w;
    for (const double t : theta)
      w.push_back(kRadius *
                  (std::abs(t) < 1 ? 2 * std::sinh(t) * std::exp(-largest)
                                   : std::exp(t - largest) - std::exp(-t - largest)) /
                  z);
    return w;
  };
  int rescalings = 0;
  for (int t = 1; t <= 20000; ++t) {
    const std::vector<double> w = whole();
    for (std::size_t i = 0; i < kSize; ++i) sum[i] += w[i];
    weights.count_iterate();
    if (t > 7000) restored.count_iterate();
    const std::size_t i = random.below(kSize);
    // Up for the first half and down for the second, where Z shrinks again.
    const double change = random.uniform() - (t < 10000 ? 0.3 : 0.7);
    theta[i] += change;
    weights.step(i, -change, 1);
    if (weights.end_step()) ++rescalings;
    if (t == 7000) {
      State state;
      state.begin();
      weights.save(state);
      state.finish();
      REQUIRE(restored.restore(state).has_value());
    }
    if (t > 7000) {
      restored.step(i, -change, 1);
      restored.end_step();
    }
    if (t % 10 != 0) continue;
    const std::vector<double> now = whole();
    for (std::size_t j = 0; j < kSize; ++j) {
      REQUIRE(std::abs(weights.weight(j, 1) - now[j]) <= 1e-12 * kRadius);
      REQUIRE(std::abs(weights.averaged(j, 1) - sum[j] / t) <= 1e-12 * kRadius);
      if (t > 7000) REQUIRE(weights.averaged(j, 1) == restored.averaged(j, 1));
    }
  }
  CHECK(rescalings >= 20);
}

// B/Z is no short binary fraction, so a plain sum of a million is off by some 10⁻¹².
TEST_CASE("the average of many iterates has the digits of one") {
  ExponentiatedWeights weights(3, 1);
  constexpr int kIterates = 1000000;
  const auto count = [&] {
    for (int t = 0; t < kIterates; ++t) weights.count_iterate();
    return weights.weight(0, 1);
  };
  weights.step(0, -0.7, 1);
  const double first = count();
  CHECK(weights.averaged(0, 1) == doctest::Approx(first).epsilon(1e-15));
  weights.step(0, 0.9, 1);
  weights.step(1, 0.1, 1);
  State state;
  state.begin();
  weights.save(state);
  state.finish();
  ExponentiatedWeights restored(3, 1);
  REQUIRE(restored.restore(state).has_value());
  weights = std::move(restored);
  const double second = count();
  CHECK(weights.averaged(0, 1) == doctest::Approx((first + second) / 2).epsilon(1e-14));
}

TEST_CASE("exponents beyond the range of doubles do no harm") {
  ExponentiatedWeights weights(3, 2);
  for (int t = 0; t < 3000; ++t) {
    weights.count_iterate();
    weights.step(0, -1, 1);
    weights.step(1, -0.5, 1);
    weights.end_step();
  }
  CHECK(weights.weight(0, 1) == doctest::Approx(2));
  CHECK(weights.weight(1, 1) == 0);
  for (int t = 0; t < 3000; ++t) {
    weights.count_iterate();
    weights.step(0, 1, 1);
    weights.end_step();
  }
  CHECK(weights.weight(1, 1) == doctest::Approx(2));
  CHECK(std::isfinite(weights.averaged(0, 1)));
  CHECK(weights.averaged(0, 1) > 0.9);
  CHECK(weights.averaged(2, 1) == 0);
}

TEST_CASE("restarting from the average begins with its weights and forgets the past") {
  ExponentiatedWeights weights(40, 4);
  Random random(2);
  for (int t = 0; t < 500; ++t) {
    weights.count_iterate();
    weights.step(random.below(40), random.uniform() - 0.4, 1);
    weights.end_step();
  }
  std::vector<double> averages;
  for (std::size_t i = 0; i < 40; ++i) averages.push_back(weights.averaged(i, 1));
  weights.restart_from_average({}, [](std::size_t) { return 1.0; });
  for (std::size_t i = 0; i < 40; ++i) {
    CHECK(weights.weight(i, 1) == doctest::Approx(averages[i]).epsilon(1e-12));
    CHECK(weights.averaged(i, 1) == weights.weight(i, 1));
  }
}

TEST_CASE("a unit that grows divides the weight by the square, up to the normaliser") {
  for (const double theta : {0.3, 5.0, 30.0, 900.0}) {
    ExponentiatedWeights weights(2, 1);
    double left = theta;
    for (; left > 0; left -= 1) {
      weights.step(0, -std::min(left, 1.0), 1);
      weights.end_step();
    }
    weights.step(1, -0.5, 1);
    weights.end_step();
    const double before = weights.unscaled(0, 1) / weights.unscaled(1, 1);
    weights.change_unit(0, 1, 4);
    weights.end_step();
    if (theta < 700) CHECK(weights.unscaled(0, 4) / weights.unscaled(1, 1) == doctest::Approx(before / 16));
    CHECK(std::isfinite(weights.weight(0, 4)));
  }
}

TEST_CASE("averages whose weights grow are those of whole vectors, also when the weights are brought back") {
  constexpr std::size_t kSize = 10;
  const double growth = std::exp2(1 / 50.0);  // a half-life of 50 iterates
  ExponentiatedWeights weights(kSize, 2);
  std::vector<double> average(kSize);
  Random random(6);
  double rho = 1;
  double total = 0;  // Σ ρ in units of the newest
  for (int t = 1; t <= 5000; ++t) {
    total = total / growth + 1;
    for (std::size_t i = 0; i < kSize; ++i) average[i] += (weights.weight(i, 1) - average[i]) / total;
    weights.count_iterate(rho);
    rho *= growth;
    if (rho > 0x1p20) {
      weights.scale_average(0x1p-20);
      rho *= 0x1p-20;
    }
    weights.step(random.below(kSize), random.uniform() - 0.5, 1);
    weights.end_step();
    for (std::size_t j = 0; j < kSize; ++j) REQUIRE(std::abs(weights.averaged(j, 1) - average[j]) <= 1e-12);
  }
}

}  // namespace exponentiated_weights_test
