#include <doctest/doctest.h>

#include "learn/learner_test_support.h"

using namespace glimpse;
using namespace glimpse::test;

namespace {

// The mean of 10⁶ estimates of the gradient at a learner's present weights against the true one, in standard
// errors; the largest over the coordinates.
double largest_deviation(Learner& learner, const std::vector<double>& x, double y, std::uint64_t seed) {
  constexpr int kPlans = 1000000;
  const std::size_t d = x.size();
  const std::vector<double> w = iterate(learner);
  Random random(seed);
  std::vector<double> sum(d);
  std::vector<double> squares(d);
  std::vector<double> gradient(d);
  Plan plan;
  learner.plan(random, plan);
  double residual =
      plan.offset - y;  // the bias, and with the auto step the labels' centre: known, not estimated
  for (std::size_t i = 0; i < d; ++i) residual += w[i] * x[i];
  for (int n = 0; n < kPlans; ++n) {
    learner.plan(random, plan);
    REQUIRE(plan.attributes.size() <= learner.options().budget);
    double phi = plan.offset - y;
    for (const Draw& draw : plan.inner_product) phi += draw.coefficient * x[plan.attributes[draw.position]];
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (const Draw& draw : plan.data_point) {
      const Attribute i = plan.attributes[draw.position];
      gradient[i] += phi * draw.coefficient * x[i];
    }
    for (std::size_t i = 0; i < d; ++i) {
      sum[i] += gradient[i];
      squares[i] += gradient[i] * gradient[i];
    }
  }
  double largest = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double mean = sum[i] / kPlans;
    const double error = std::sqrt((squares[i] / kPlans - mean * mean) / kPlans);
    REQUIRE(error > 0);
    largest = std::max(largest, std::abs(mean - residual * x[i]) / error);
  }
  return largest;
}

}  // namespace

// 4 standard errors, fixed seeds. x and y are not of the learning stream: the estimator is unbiased for any
// example.
TEST_CASE("the mean of a million gradient estimates is the gradient, for every q, p and split") {
  constexpr std::size_t kDimension = 9;
  std::vector<double> x(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i)
    x[i] = 0.3 + 0.15 * static_cast<double>(i) * (i % 2 == 0 ? 1 : -1);
  std::vector<double> second(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i) second[i] = 1 / static_cast<double>((i + 1) * (i + 1));
  const SecondMoments known = known_moments(second);

  std::uint64_t seed = 100;
  for (const char* algorithm : {"aerr", "ddaerr", "two-phase-ddaerr", "aelr", "ddaelr", "two-phase-ddaelr"}) {
    for (const Split split : {Split::kEven, Split::kPaper}) {
      for (const InnerSampling inner : {InnerSampling::kImproved, InnerSampling::kPlain}) {
        LearnerOptions options = options_of(algorithm, kDimension, 5);
        options.split = split;
        options.inner_sampling = inner;
        options.bias = true;
        options.phase1_examples = 100;
        if (options.algorithm == "two-phase-ddaerr") options.step = StepKind::kAuto;
        if (has_l1_ball(algorithm)) options.radius = 3;
        auto learner = make_learner(options, wants_moments(algorithm) ? &known : nullptr).value();
        Random random(++seed);
        Source source(kDimension, seed);
        learn_from(*learner, random, source, 300);
        CAPTURE(algorithm);
        CAPTURE(static_cast<int>(split));
        CAPTURE(static_cast<int>(inner));
        CHECK(largest_deviation(*learner, x, 0.7, seed) < 4);
      }
    }
  }
}

// The stream's attributes are in units from 2⁻⁸ to 2⁸, in which the auto step measures the ball.
TEST_CASE("the lasso estimates are unbiased with the auto step and attributes of any unit, too") {
  constexpr std::size_t kDimension = 9;
  const auto unit = [](std::size_t i) { return std::ldexp(1.0, static_cast<int>(2 * i) - 8); };
  std::vector<double> x(kDimension);
  SecondMoments known(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i) {
    x[i] = (0.3 + 0.15 * static_cast<double>(i) * (i % 2 == 0 ? 1 : -1)) * unit(i);
    const double largest = unit(i) / std::sqrt(static_cast<double>(i + 1));
    known.set(static_cast<Attribute>(i),
              {0, largest * largest / 3, SecondMoments::kCertain, static_cast<float>(largest)});
  }
  std::uint64_t seed = 200;
  for (const char* algorithm : {"aelr", "ddaelr", "two-phase-ddaelr"}) {
    for (const InnerSampling inner : {InnerSampling::kImproved, InnerSampling::kPlain}) {
      for (const bool bias : {false, true}) {
        LearnerOptions options = options_of(algorithm, kDimension, 5);
        options.step = StepKind::kAuto;
        options.inner_sampling = inner;
        options.bias = bias;
        options.radius = 3;
        options.phase1_examples = 100;
        auto learner = make_learner(options, wants_moments(algorithm) ? &known : nullptr).value();
        Random random(++seed);
        Source source(kDimension, seed);
        Plan plan;
        for (int t = 0; t < 300; ++t) {
          std::vector<double> scaled = source.next();
          for (std::size_t i = 0; i < kDimension; ++i) scaled[i] *= unit(i);
          learner->plan(random, plan);
          REQUIRE(learner->learn(plan, reveal(plan, scaled), source.label(), 1) == Outcome::kLearned);
        }
        CAPTURE(algorithm);
        CAPTURE(static_cast<int>(inner));
        CAPTURE(bias);
        CHECK(largest_deviation(*learner, x, 0.7, seed) < 4);
      }
    }
  }
}

// Steps that leave the ball far behind shrink the scale of all weights by 2³⁰⁰ in the end; then all are
// rescaled, which the sampler of p must notice.
TEST_CASE("the gradient estimates stay unbiased after projections have rescaled the lazy weights") {
  constexpr std::size_t kDimension = 9;
  const std::vector<double> x(kDimension, 0.4);
  LearnerOptions options = options_of("aerr", kDimension, 4);
  options.radius = 0.5;
  options.step_number = 2;
  auto learner = make_learner(options).value();
  Random random(5);
  Source source(kDimension, 5);
  std::uint64_t rescalings = 0;
  double scale = 1;
  for (int t = 0; t < 3000; ++t) {
    learn_from(*learner, random, source, 1);
    const double now = (*saved(*learner).get<double>("weights.scalars"))[0];
    if (now > scale) ++rescalings;
    scale = now;
    if (rescalings == 2) break;
  }
  REQUIRE(rescalings == 2);
  CHECK(largest_deviation(*learner, x, 0.7, 77) < 4);
}

TEST_CASE(
    "a confidence term and the floor keep every attribute's probability above zero, whatever was seen") {
  for (const bool automatic : {false, true}) {
    LearnerOptions options = options_of("two-phase-ddaerr", 50, 4);
    options.phase1_examples = 200;
    if (automatic) options.step = StepKind::kAuto;
    auto learner = make_learner(options).value();
    Random random(1);
    Plan plan;
    for (int t = 0; t < 300; ++t) {  // all attributes but the first are always 0
      learner->plan(random, plan);
      std::vector<double> values;
      for (const Attribute i : plan.attributes) values.push_back(i == 0 ? 1 : 0);
      learner->learn(plan, values, 1, 1);
    }
    REQUIRE(learner->phase() == 2);
    double total = 0;
    for (Attribute i = 0; i < 50; ++i) {
      CHECK(learner->sampling_row(i).probability >= 0.009 / 50);
      total += learner->sampling_row(i).probability;
    }
    CHECK(total == doctest::Approx(1).epsilon(1e-12));
  }
}
