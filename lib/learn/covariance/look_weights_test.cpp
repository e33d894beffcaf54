#include "learn/covariance/look_weights.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"
#include "learn/covariance/attribute_units.h"

namespace look_weights_test {

using namespace glimpse;

namespace {

const std::vector<Attribute> kBoth = {0, 1};

LookChances sets_of(double k) {
  return [k](std::span<const double> weights, std::span<double> chances) {
    for (std::size_t i = 0; i < weights.size(); ++i)
      chances[i] = std::min(1.0, k * weights[i] / static_cast<double>(weights.size()));
  };
}

// Plans that hold every attribute, whatever is wanted.
void all_of(std::span<const double>, std::span<double> chances) {
  std::fill(chances.begin(), chances.end(), 1.0);
}

std::vector<double> spread_alone(const PairMoments& moments) {
  std::vector<AttributeSums> attributes;
  for (std::size_t i = 0; i < moments.dimension(); ++i) attributes.push_back(moments[i]);
  return spread_weights(attributes);
}

// d attributes that are −1 or 1, K of an example seen, labels label(x).
template <class Label>
PairMoments coins(std::size_t d, std::size_t k, int examples, const Label& label, std::uint64_t seed) {
  PairMoments moments(d);
  Random random(seed);
  std::vector<double> x(d);
  std::vector<Attribute> seen;
  std::vector<double> values;
  for (int e = 0; e < examples; ++e) {
    for (double& value : x) value = random.below(2) == 0 ? -1 : 1;
    seen.clear();
    while (seen.size() < k) {
      const auto i = static_cast<Attribute>(random.below(d));
      if (std::find(seen.begin(), seen.end(), i) == seen.end()) seen.push_back(i);
    }
    std::sort(seen.begin(), seen.end());
    values.clear();
    for (const Attribute i : seen) values.push_back(x[i]);
    moments.add(seen, values, label(x), 1);
  }
  return moments;
}

// Four examples of two attributes, all of both, so that 1/π_j − 1 = 0 and T = 0. y = x_0 for x_0 in {−1, 1}
// and x_1 in {−1, 1}, all four combinations: v̄ = 1 in units of the largest value, s_i = (4 + ½)/(4 + ½) = 1
// each, and the units are √(deviation·largest) = 1, so v_i = 1. λ = √(2·1/(16/4 + 1)) = √.4. b̂_0 = 4/5, b̂_1 =
// 0. ν = 1/(5(1 + λ)²) for both.
struct FourExamples {
  FourExamples() {
    for (const double x0 : {-1.0, 1.0})
      for (const double x1 : {-1.0, 1.0}) moments.add(kBoth, std::vector<double>{x0, x1}, x0, 1);
  }

  PairMoments moments{2};
  double damped = 1 + std::sqrt(0.4);
  double noise = 1 / (5 * damped * damped);
  double slope = 0.8 / damped;
  double prior = (slope * slope - 2 * noise) / 2;
  double trust = prior / (prior + noise);
  double g0 = trust * (trust * slope * slope + noise);
  double g1 = trust * noise;
};

}  // namespace

TEST_CASE("chances by hand: what explains the label is looked at more often") {
  const FourExamples four;
  const double g0 = four.g0;
  const double g1 = four.g1;
  const double rest = 1 - g0 - g1;
  const double r0 = std::sqrt(rest + 2 * g0);  // S = 2, as both were always seen
  const double r1 = std::sqrt(rest + 2 * g1);
  const std::vector<double> weights = look_weights(four.moments, all_of);
  CHECK(weights[0] == doctest::Approx(0.1 + 0.9 * 2 * r0 / (r0 + r1)).epsilon(1e-12));
  CHECK(weights[1] == doctest::Approx(0.1 + 0.9 * 2 * r1 / (r0 + r1)).epsilon(1e-12));
  CHECK(weights[0] > weights[1]);
}

TEST_CASE("a plan of one attribute by hand: the rounds end where the chances reproduce themselves") {
  const FourExamples four;
  const double g0 = four.g0;
  const double g1 = four.g1;
  const std::vector<double> weights = look_weights(four.moments, sets_of(1));
  const double p0 = weights[0] / 2;
  const double p1 = weights[1] / 2;
  CHECK(p0 + p1 == doctest::Approx(1).epsilon(1e-12));
  const double s = 1 / p0 + 1 / p1;
  const double t = 1 - g0 - g1 + g0 * (1 / p0 - 1) + g1 * (1 / p1 - 1);
  const double r0 = std::sqrt(t + s * g0);
  const double r1 = std::sqrt(t + s * g1);
  CHECK(p0 == doctest::Approx(0.05 + 0.9 * r0 / (r0 + r1)).epsilon(1e-4));
}

TEST_CASE("without labels that differ, or without examples, the spread alone decides") {
  CHECK(look_weights(PairMoments(3), sets_of(2)) == std::vector<double>(3, 1.0));
  const PairMoments same = coins(10, 3, 50, [](const std::vector<double>&) { return 7.0; }, 1);
  CHECK(look_weights(same, sets_of(3)) == spread_alone(same));
}

TEST_CASE("labels that hang on nothing leave the chances near those of the spread alone") {
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random labels(seed + 100);
    const PairMoments moments =
        coins(40, 5, 400, [&](const std::vector<double>&) { return labels.uniform(); }, seed);
    const std::vector<double> weights = look_weights(moments, sets_of(5));
    const std::vector<double> spread = spread_alone(moments);
    for (std::size_t i = 0; i < 40; ++i) largest = std::max(largest, weights[i] / spread[i]);
  }
  CHECK(largest < 1.5);
}

TEST_CASE(
    "the few attributes that the label hangs on are drawn more than twice as often once that is certain") {
  const auto label = [](const std::vector<double>& x) { return 2 * x[3] - x[17]; };
  const PairMoments moments = coins(100, 5, 5000, label, 1);
  const std::vector<double> weights = look_weights(moments, sets_of(5));
  double others = 0;
  for (std::size_t i = 0; i < 100; ++i)
    if (i != 3 && i != 17) others = std::max(others, weights[i]);
  CHECK(weights[17] > 2 * others);
  CHECK(weights[3] > weights[17]);
  for (const double weight : weights) CHECK(weight >= 0.1);  // nothing is given up
}

TEST_CASE("chances do not depend on the units of attributes or labels") {
  const auto label = [](const std::vector<double>& x) { return 2 * x[1] - x[2]; };
  PairMoments plain(4);
  PairMoments scaled(4);
  Random random(1);
  const std::vector<Attribute> all = {0, 1, 2, 3};
  for (int e = 0; e < 200; ++e) {
    std::vector<double> x(4);
    for (double& value : x) value = random.uniform();
    std::vector<double> y = x;
    for (std::size_t i = 0; i < 4; ++i) y[i] *= std::exp2(10.0 * static_cast<double>(i) - 15);
    plain.add(all, x, label(x), 1);
    scaled.add(all, y, 1024 * label(x), 1);
  }
  const std::vector<double> a = look_weights(plain, sets_of(2));
  const std::vector<double> b = look_weights(scaled, sets_of(2));
  for (std::size_t i = 0; i < 4; ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-3));
}

TEST_CASE("forgotten examples do not count: the chances are those of the sums as they are weighted now") {
  const auto label = [](const std::vector<double>& x) { return x[0]; };
  PairMoments half = coins(20, 4, 500, label, 1);
  half.decay(0.5);
  PairMoments unit = coins(20, 4, 500, label, 1);
  unit.forget(0.5);
  const std::vector<double> a = look_weights(half, sets_of(4));
  const std::vector<double> b = look_weights(unit, sets_of(4));
  for (std::size_t i = 0; i < 20; ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-12));
}

}  // namespace look_weights_test
