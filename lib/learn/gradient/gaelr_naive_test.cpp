#include <algorithm>
#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace gaelr_naive_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

// GAELR as the paper writes it: z+ and z− as whole vectors of d coordinates, with bias of one more that is
// always 1; O(d) a step. Draws are those of the plans it is given.
class Naive {
 public:
  Naive(std::size_t d, const LearnerOptions& options)
      : options_(options),
        radius_(*radius_of_phase1(options)),
        eta_(options.phase1_step.value_or(options.step_number)),
        plus_(d + (options.bias ? 1 : 0), 1.0),
        minus_(plus_.size(), 1.0),
        sum_(plus_.size()) {}

  std::vector<double> weights() const {
    double z = 0;
    for (std::size_t i = 0; i < plus_.size(); ++i) z += plus_[i] + minus_[i];
    std::vector<double> w;
    for (std::size_t i = 0; i < plus_.size(); ++i) w.push_back(radius_ * (plus_[i] - minus_[i]) / z);
    return w;
  }

  void learn(const Plan& plan, const std::vector<double>& x, double y) {
    const std::vector<double> w = weights();
    for (std::size_t i = 0; i < w.size(); ++i) sum_[i] += w[i];
    ++count_;
    double phi = plan.offset - y;
    for (const Draw& draw : plan.inner_product) phi += draw.coefficient * x[plan.attributes[draw.position]];
    std::vector<double> estimate(w.size());
    for (const Draw& draw : plan.data_point)
      estimate[plan.attributes[draw.position]] += draw.coefficient * x[plan.attributes[draw.position]];
    if (options_.bias) estimate.back() = 1;
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double clipped = std::clamp(phi * estimate[i], -1 / eta_, 1 / eta_);
      plus_[i] *= std::exp(-eta_ * clipped);
      minus_[i] *= std::exp(eta_ * clipped);
    }
  }

  // From the average, in the second phase's ball: z± = exp(±θ) with B·sinh θ_i/Σ cosh θ_j = w̄_i, found by
  // bisection for Σ cosh θ.
  void begin_phase2() {
    radius_ = *options_.radius;
    eta_ = options_.step_number;
    std::vector<double> a;
    double norm = 0;
    for (std::size_t i = 0; i < sum_.size(); ++i) {
      a.push_back(averaged(i) / radius_);
      norm += std::abs(a.back());
    }
    if (norm >= 1)
      for (double& value : a) value *= 0.99 / norm;
    double low = 0;
    double high = 1;
    for (int pass = 0; pass < 200; ++pass) {
      const double r = (low + high) / 2;
      double sum = 0;
      for (const double value : a) sum += std::hypot(r, value);
      (sum < 1 ? low : high) = r;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      plus_[i] = std::exp(std::asinh(a[i] / low));
      minus_[i] = 1 / plus_[i];
      sum_[i] = 0;
    }
    count_ = 0;
  }

  double averaged_bias() const { return options_.bias ? averaged(sum_.size() - 1) : 0; }
  double averaged(std::size_t i) const { return sum_[i] / static_cast<double>(count_); }

 private:
  LearnerOptions options_;
  double radius_;
  double eta_;
  std::vector<double> plus_;
  std::vector<double> minus_;
  std::vector<double> sum_;
  std::uint64_t count_ = 0;
};

}  // namespace

TEST_CASE("aelr and ddaelr are the paper's algorithm on whole vectors, to 1e-12") {
  constexpr std::size_t kDimension = 40;
  std::vector<double> second(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i) second[i] = 1 / static_cast<double>(3 * (i + 1));
  const SecondMoments known = known_moments(second);
  struct Case {
    const char* algorithm;
    bool bias;
  };
  for (const auto [algorithm, bias] :
       {Case{"aelr", true}, Case{"aelr", false}, Case{"ddaelr", true}, Case{"ddaelr", false},
        Case{"online-lasso", true}, Case{"online-lasso", false}}) {
    for (const double step : {0.005, 0.2}) {
      LearnerOptions options = options_of(algorithm, kDimension, 6);
      options.radius = 8;
      options.bias = bias;
      options.step_number = step;
      auto learner = make_learner(options, wants_moments(algorithm) ? &known : nullptr).value();
      Naive naive(kDimension, options);
      Random random(11);
      Source source(kDimension, 12);
      Plan plan;
      Model model;
      for (int t = 1; t <= 4000; ++t) {
        const std::vector<double>& x = source.next();
        learner->plan(random, plan);
        naive.learn(plan, x, source.label());
        learner->learn(plan, reveal(plan, x), source.label(), 1);
        if (t % 50 != 0) continue;
        learner->model(model);
        const std::vector<double> w = iterate(*learner);
        const std::vector<double> naive_w = naive.weights();
        CAPTURE(algorithm);
        CAPTURE(bias);
        CAPTURE(t);
        for (std::size_t i = 0; i < kDimension; ++i) {
          REQUIRE(std::abs(w[i] - naive_w[i]) <= 1e-12 * 8);
          REQUIRE(std::abs(model.weights[i] - naive.averaged(i)) <= 1e-12 * 8);
        }
        REQUIRE(std::abs(model.bias - naive.averaged_bias()) <= 1e-12 * 8);
      }
    }
  }
}

TEST_CASE(
    "two-phase-ddaelr goes on from the average as the paper's algorithm would, in its own ball and step") {
  constexpr std::size_t kDimension = 40;
  LearnerOptions options = options_of("two-phase-ddaelr", kDimension, 6);
  options.radius = 8;
  options.step_number = 0.005;
  options.phase1_step = 0.1;
  options.phase1_examples = 1000;
  struct Case {
    double phase1_radius;
    bool bias;
  };
  // The last two radii leave the second phase's ball.
  for (const auto [phase1_radius, bias] :
       {Case{1, true}, Case{8, false}, Case{8, true}, Case{60, false}, Case{60, true}}) {
    options.phase1_radius = phase1_radius;
    options.bias = bias;
    auto learner = make_learner(options).value();
    Naive naive(kDimension, options);
    Random random(11);
    Source source(kDimension, 12);
    Plan plan;
    Model model;
    for (int t = 1; t <= 4000; ++t) {
      const std::vector<double>& x = source.next();
      learner->plan(random, plan);
      naive.learn(plan, x, source.label());
      learner->learn(plan, reveal(plan, x), source.label(), 1);
      CAPTURE(t);
      REQUIRE(learner->describe().phase == (t < 1000 ? 1 : 2));
      if (t == 1000) naive.begin_phase2();
      if (t % 50 != 1) continue;
      learner->model(model);
      for (std::size_t i = 0; i < kDimension; ++i)
        REQUIRE(std::abs(model.weights[i] - naive.averaged(i)) <= 1e-11 * 8);
    }
  }
}

}  // namespace gaelr_naive_test
