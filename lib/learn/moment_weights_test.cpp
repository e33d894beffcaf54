#include "learn/moment_weights.h"

#include <doctest/doctest.h>

using namespace glimpse;

namespace {
SecondMoments moments_of(std::initializer_list<Moment> rows) {
  SecondMoments moments(rows.size());
  Attribute i = 0;
  for (const Moment& row : rows) moments.set(i++, row);
  return moments;
}
}  // namespace

TEST_CASE("well-known moments give weights in proportion to their roots, mixed with a hundredth of uniform") {
  const SecondMoments moments =
      moments_of({{0, 4, SecondMoments::kCertain, 2}, {0, 1, SecondMoments::kCertain, 1}});
  const MomentWeights weights(moments, false, 0);
  CHECK(weights(0) == doctest::Approx(0.01 + 0.99 * 2 / 1.5));
  CHECK(weights(1) == doctest::Approx(0.01 + 0.99 * 1 / 1.5));
  CHECK(weights.sum() == doctest::Approx(5));
  CHECK(weights.half_norm() == doctest::Approx(9));  // (2 + 1)²
  CHECK(weights.uniform_variance() == doctest::Approx(10));
}

TEST_CASE(
    "an attribute seen as all-zero keeps a chance that falls with the evidence, and an unseen one counts as "
    "average") {
  const SecondMoments moments = moments_of({{0, 2, 1000000, 2}, {0, 0, 3, 0}, {0, 0, 0, 0}});
  const MomentWeights weights(moments, false, 0);
  CHECK(weights.moment(1) ==
        doctest::Approx(0.25));  // Ā = 1 over the two that were seen, as one reveal among four
  CHECK(weights.moment(2) == doctest::Approx(1));
}

TEST_CASE("the theory's confidence is added to every moment") {
  const SecondMoments moments =
      moments_of({{0, 1, SecondMoments::kCertain, 1}, {0, 1e-12, SecondMoments::kCertain, 1}});
  const MomentWeights weights(moments, false, 6.0 / 13);
  CHECK(weights(0) / weights(1) == doctest::Approx(std::sqrt(2.0)).epsilon(0.01));
  CHECK(weights.half_norm_bound() ==
        doctest::Approx(std::pow(std::sqrt(2 + 20.0 / 13) + std::sqrt(20.0 / 13), 2)));
}

TEST_CASE("normalised moments do not depend on units") {
  const SecondMoments moments =
      moments_of({{0, 0.25, SecondMoments::kCertain, 1}, {0, 2500, SecondMoments::kCertain, 100}});
  const MomentWeights weights(moments, true, 0);
  CHECK(weights(0) == doctest::Approx(weights(1)));
}

TEST_CASE("the bound on the variance falls to the variance itself as reveals add up") {
  double previous = 1e300;
  for (const std::uint32_t n : {4U, 40U, 4000U, 4000000U}) {
    const SecondMoments moments = moments_of({{0, 0.9, n, 1}, {0, 0.01, n, 1}});
    const MomentWeights weights(moments, false, 0);
    CHECK(weights.variance_bound() < previous);
    CHECK(weights.variance_bound() > weights.half_norm());
    previous = weights.variance_bound();
  }
  CHECK(previous == doctest::Approx(std::pow(std::sqrt(0.9) + 0.1, 2)).epsilon(0.02));
}
