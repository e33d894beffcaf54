#include "learn/draws/moment_weights.h"

#include <cmath>
#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace moment_weights_test {

using namespace glimpse;
using namespace glimpse::test;

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
    "lasso's weights are in proportion to the moments, and its variances those of the largest attribute") {
  const SecondMoments moments =
      moments_of({{0, 4, SecondMoments::kCertain, 2}, {0, 1, SecondMoments::kCertain, 1}});
  const MomentWeights weights(moments, false, 0, MomentPower::kFirst);
  const double first = 0.01 + 0.99 * 4 / 2.5;
  const double second = 0.01 + 0.99 * 1 / 2.5;
  CHECK(weights(0) == doctest::Approx(first));
  CHECK(weights(1) == doctest::Approx(second));
  CHECK(weights.sum() == doctest::Approx(5));
  CHECK(weights.uniform_variance() == doctest::Approx(8).epsilon(1e-4));  // 2·max(4, 1)
  CHECK(weights.largest_ratio() == doctest::Approx(2 * 4 / first));  // their sum is 2, and 4/first > 1/second
  CHECK(weights.variance_bound() == doctest::Approx(2 * 4 / first).epsilon(1e-4));
  const MomentWeights cautious(moments, false, 6.0 / 13, MomentPower::kFirst);  // (4 + 1) : (1 + 1)
  CHECK(cautious(0) == doctest::Approx(0.01 + 0.99 * 5 / 3.5));
  // Of 63 values up to 4 the largest moment is (63·4 + 2.5)/64, less 2·√(16·that/64).
  const SecondMoments few = moments_of({{0, 4, 63, 4}, {0, 1, 63, 1}});
  const double most = (63 * 4 + 2.5) / 64;
  CHECK(MomentWeights(few, false, 0, MomentPower::kFirst).uniform_variance() ==
        doctest::Approx(2 * (most - 2 * std::sqrt(16 * most / 64))));
}

TEST_CASE("ddaerr draws in proportion to the roots of the moments, ddaelr to the moments themselves") {
  const std::vector<double> second{0.64, 0.16, 0.04, 0.01};  // sum 0.85, roots' sum 1.5
  const SecondMoments known = known_moments(second);
  for (const bool lasso : {false, true}) {
    LearnerOptions options = options_of(lasso ? "ddaelr" : "ddaerr", 4, 2);
    options.radius = 1;
    const auto learner = make_learner(options, &known).value();
    for (Attribute i = 0; i < 4; ++i) {
      const double share = lasso ? second[i] / 0.85 : std::sqrt(second[i]) / 1.5;
      // The table of draws rounds by up to 3 %.
      CHECK(learner->sampling_row(i).probability == doctest::Approx(0.0025 + 0.99 * share).epsilon(0.03));
    }
  }
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

TEST_CASE("with control variates the moments are those of the deviations from the mean") {
  const SecondMoments moments =
      moments_of({{10, 104, SecondMoments::kCertain, 12}, {0, 1, SecondMoments::kCertain, 1}});
  const MomentWeights weights(moments, false, 0, MomentPower::kRoot, MomentOf::kDeviation);
  CHECK(weights.moment(0) == doctest::Approx(4));
  CHECK(weights(0) == doctest::Approx(0.01 + 0.99 * 2 / 1.5));
  CHECK(weights.variance_bound() == doctest::Approx(9).epsilon(0.01));
}

}  // namespace moment_weights_test
