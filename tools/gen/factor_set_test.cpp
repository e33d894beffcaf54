#include "gen/factor_set.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numeric>

namespace glimpse::factor_set_test {
namespace {

FactorOptions factor_options(std::size_t factors, std::size_t dimension, std::uint64_t seed) {
  FactorOptions options;
  options.factors = factors;
  options.dimension = dimension;
  options.seed = seed;
  return options;
}

struct Drawn {
  std::vector<double> values;
  std::vector<double> labels;
  bool operator==(const Drawn&) const = default;
};

Drawn draw_factor_examples(FactorSet& set, std::size_t count) {
  Drawn drawn;
  std::vector<double> values(set.dimension());
  for (std::size_t n = 0; n < count; ++n) {
    drawn.labels.push_back(set.next(values));
    drawn.values.insert(drawn.values.end(), values.begin(), values.end());
  }
  return drawn;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST_CASE("the part that an attribute has of the factors has variance 1 in the mean, and so has its noise") {
  constexpr std::size_t kAttributes = 2000;
  constexpr std::size_t kDrawn = 500;
  FactorSet set(factor_options(5, kAttributes, 3));
  double loadings = 0;
  for (std::size_t i = 0; i < kAttributes; ++i) loadings += dot(set.loadings(i), set.loadings(i));
  // The sum of squares of F loadings has mean 1 and variance 2/F at most.
  CHECK(std::abs(loadings / kAttributes - 1) < 4 * std::sqrt(2.0 / 5 / kAttributes));
  std::vector<double> values(kAttributes);
  double noise = 0;
  for (std::size_t n = 0; n < kDrawn; ++n) {
    set.next(values);
    for (std::size_t i = 0; i < kAttributes; ++i) {
      const double e = values[i] - dot(set.loadings(i), set.factors());
      noise += e * e / (kAttributes * kDrawn);
    }
  }
  CHECK(std::abs(noise - 1) < 4 * std::sqrt(2.0 / (kAttributes * kDrawn)));
}

TEST_CASE("the factors explain nine tenths of the label's variance, in a random direction of length 1") {
  constexpr std::size_t kDrawn = 40'000;
  FactorSet set(factor_options(3, 1, 7));
  CHECK(dot(set.weights(), set.weights()) == doctest::Approx(1));
  std::vector<double> values(1);
  double explained = 0;
  double rest = 0;
  double product = 0;
  for (std::size_t n = 0; n < kDrawn; ++n) {
    const double label = set.next(values);
    const double part = dot(set.weights(), set.factors());
    explained += part * part / kDrawn;
    rest += (label - part) * (label - part) / kDrawn;
    product += part * (label - part) / kDrawn;
  }
  // Four standard errors of a mean of squares, √2 times the variance over √n, and of a mean of products.
  const double error = 4 / std::sqrt(static_cast<double>(kDrawn));
  CHECK(std::abs(explained - 1) < error * std::sqrt(2.0));
  CHECK(std::abs(rest - 1.0 / 9) < error * std::sqrt(2.0) / 9);
  CHECK(std::abs(product) < error / 3);
}

TEST_CASE("the same seed gives the same bits, and an example does not depend on those before") {
  FactorSet one(factor_options(3, 20, 5));
  FactorSet two(factor_options(3, 20, 5));
  const Drawn drawn = draw_factor_examples(one, 30);
  CHECK(drawn == draw_factor_examples(two, 30));
  FactorSet late(factor_options(3, 20, 5));
  late.seek(25);
  const Drawn end = draw_factor_examples(late, 5);
  CHECK(std::equal(end.labels.begin(), end.labels.end(), drawn.labels.begin() + 25));
  CHECK(std::equal(end.values.begin(), end.values.end(), drawn.values.begin() + 25 * 20));
}

TEST_CASE("another seed gives other loadings, another direction and other examples") {
  FactorSet one(factor_options(3, 20, 1));
  FactorSet two(factor_options(3, 20, 2));
  CHECK_FALSE(std::ranges::equal(one.loadings(0), two.loadings(0)));
  CHECK_FALSE(std::ranges::equal(one.weights(), two.weights()));
  CHECK(draw_factor_examples(one, 5).labels != draw_factor_examples(two, 5).labels);
}

TEST_CASE("numbers of factors and attributes out of range are refused") {
  CHECK(validate(factor_options(0, 10, 1)).error().message ==
        "the number of factors is 0; it must be from 1 to 1000");
  CHECK(validate(factor_options(1001, 10, 1)).has_error());
  CHECK(validate(factor_options(3, 0, 1)).error().message.starts_with("--dimension is 0"));
  CHECK(validate(factor_options(3, 10, 1)).has_value());
}

}  // namespace
}  // namespace glimpse::factor_set_test
