#include <algorithm>
#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace gradient_unbiased_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

// One estimate of the gradient at the present weights, from a plan for the example x: of d coordinates and
// the bias. `x` is centred already.
void estimate(const Learner& learner, const Plan& plan, const std::vector<double>& x, double rest,
              std::vector<double>& gradient) {
  double sum = 0;
  for (const Draw& draw : plan.inner_product) sum += draw.coefficient * x[plan.attributes[draw.position]];
  const bool pairs = draws_of(learner.options()) == Draws::kPairs && !plan.inner_product.empty();
  const auto k = static_cast<double>(plan.data_point.size());
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t b = 0; b < plan.data_point.size(); ++b) {
    const Draw& draw = plan.data_point[b];
    const Attribute i = plan.attributes[draw.position];
    double others = sum;
    if (pairs) {  // as the pairs stand in the definition: every a ≠ b
      others = 0;
      for (std::size_t a = 0; a < plan.inner_product.size(); ++a)
        if (a != b)
          others +=
              plan.inner_product[a].coefficient * k * x[plan.attributes[plan.inner_product[a].position]];
      others /= k - 1;
    }
    gradient[i] += (others + rest) * draw.coefficient * x[i];
  }
  gradient.back() = sum + rest;
}

constexpr int kMillion = 1000000;

// The mean of `plans` estimates of the gradient at a learner's present weights against the true one, in
// standard errors; the largest over the coordinates and the bias.
double largest_deviation(Learner& learner, const std::vector<double>& x, double y, std::uint64_t seed,
                         int plans = draws_for_means(kMillion)) {
  const std::size_t d = x.size();
  const std::vector<double> w = iterate(learner);
  Random random(seed);
  std::vector<double> sum(d + 1);
  std::vector<double> squares(d + 1);
  std::vector<double> gradient(d + 1);
  std::vector<double> centred = x;
  if (uses_control_variates(learner.options()))
    for (std::size_t i = 0; i < d; ++i)
      centred[i] -= learner.sampling_row(static_cast<Attribute>(i)).moment.mean;
  Plan plan;
  learner.plan(random, plan);
  // The bias, and with the auto step the labels' centre: known, not estimated.
  const double rest = plan.offset - y;
  double residual = rest;
  for (std::size_t i = 0; i < d; ++i) residual += w[i] * centred[i];
  for (int n = 0; n < plans; ++n) {
    learner.plan(random, plan);
    REQUIRE(plan.attributes.size() <= learner.options().budget);
    estimate(learner, plan, centred, rest, gradient);
    for (std::size_t i = 0; i <= d; ++i) {
      sum[i] += gradient[i];
      squares[i] += gradient[i] * gradient[i];
    }
  }
  double largest = 0;
  for (std::size_t i = 0; i <= d; ++i) {
    const double mean = sum[i] / plans;
    const double error = std::sqrt((squares[i] / plans - mean * mean) / plans);
    REQUIRE(error > 0);
    const double truth = residual * (i < d ? centred[i] : 1);
    largest = std::max(largest, std::abs(mean - truth) / error);
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
TEST_CASE("the lasso estimates are unbiased with the auto step and attributes of any unit, too" *
          doctest::test_suite("repeats")) {
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
  struct Case {
    bool bias;
    Form form;
  };
  std::uint64_t seed = 200;
  for (const char* algorithm : {"aelr", "ddaelr", "two-phase-ddaelr"}) {
    for (const InnerSampling inner : {InnerSampling::kImproved, InnerSampling::kPlain}) {
      for (const auto& [bias, form] :
           {Case{false, kForms[0]}, Case{true, kForms[0]}, Case{false, kForms[1]}, Case{true, kForms[3]}}) {
        LearnerOptions options = options_of(algorithm, kDimension, 5);
        set_form(options, form);
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
        CAPTURE(static_cast<int>(form.draws));
        // Plain sampling draws the smallest weights so rarely, and their estimates are so large, that the
        // mean of fewer draws is of those that missed them, and its standard error too.
        const int plans = inner == InnerSampling::kPlain ? kMillion : draws_for_means(kMillion);
        CHECK(largest_deviation(*learner, x, 0.7, seed, plans) < 4);
      }
    }
  }
}

// With means far from 0, so that control variates make a difference.
TEST_CASE("the mean of a million gradient estimates is the gradient, for pairs and control variates" *
          doctest::test_suite("repeats")) {
  constexpr std::size_t kDimension = 9;
  std::vector<double> x(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i)
    x[i] = 1.3 + 0.15 * static_cast<double>(i) * (i % 2 == 0 ? 1 : -1);
  std::vector<double> second(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i) second[i] = 1 / static_cast<double>((i + 1) * (i + 1));
  const SecondMoments known = known_moments(second);
  std::uint64_t seed = 200;
  for (const char* algorithm : {"aerr", "ddaerr", "two-phase-ddaerr", "aelr", "ddaelr", "two-phase-ddaelr"}) {
    for (const Form& form : kForms) {
      if (form.draws == Draws::kSeparate && !form.control_variates) continue;
      for (const InnerSampling inner : {InnerSampling::kImproved, InnerSampling::kPlain}) {
        LearnerOptions options = options_of(algorithm, kDimension, 5);
        set_form(options, form);
        options.inner_sampling = inner;
        options.bias = true;
        options.phase1_examples = 100;
        options.step_number = 0.03;
        if (options.algorithm == "two-phase-ddaerr") options.step = StepKind::kAuto;
        if (has_l1_ball(algorithm)) options.radius = 3;
        auto learner = make_learner(options, wants_moments(algorithm) ? &known : nullptr).value();
        Random random(++seed);
        Source source(kDimension, seed);
        Plan plan;
        for (int t = 0; t < 300; ++t) {
          std::vector<double> shifted = source.next();
          for (double& value : shifted) value += 1;
          learner->plan(random, plan);
          REQUIRE(learner->learn(plan, reveal(plan, shifted), source.label(), 1) == Outcome::kLearned);
        }
        CAPTURE(algorithm);
        CAPTURE(static_cast<int>(form.draws));
        CAPTURE(form.control_variates);
        CAPTURE(static_cast<int>(inner));
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
    REQUIRE(learner->describe().phase == 2);
    double total = 0;
    for (Attribute i = 0; i < 50; ++i) {
      CHECK(learner->sampling_row(i).probability >= 0.009 / 50);
      total += learner->sampling_row(i).probability;
    }
    CHECK(total == doctest::Approx(1).epsilon(1e-12));
  }
}

}  // namespace gradient_unbiased_test
