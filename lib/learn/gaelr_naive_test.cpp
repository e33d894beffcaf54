#include <algorithm>
#include <doctest/doctest.h>

#include "learn/learner_test_support.h"

using namespace glimpse;
using namespace glimpse::test;

namespace {

// GAELR as the paper writes it: z+ and z− as whole vectors, O(d) a step. Draws are those of the plans it is
// given.
class Naive {
 public:
  Naive(std::size_t d, const LearnerOptions& options)
      : options_(options), plus_(d + 1, 1.0), minus_(d + 1, 1.0), sum_(d + 1) {}

  std::vector<double> weights() const {
    double z = 0;
    for (std::size_t i = 0; i < plus_.size(); ++i) z += plus_[i] + minus_[i];
    std::vector<double> w;
    for (std::size_t i = 0; i < plus_.size(); ++i) w.push_back(*options_.radius * (plus_[i] - minus_[i]) / z);
    return w;
  }

  void learn(const Plan& plan, const std::vector<double>& x, double y) {
    const std::size_t d = plus_.size() - 1;
    const std::vector<double> w = weights();
    for (std::size_t i = 0; i <= d; ++i) sum_[i] += w[i];
    ++count_;
    double phi = plan.offset - y;
    for (const Draw& draw : plan.inner_product) phi += draw.coefficient * x[plan.attributes[draw.position]];
    std::vector<double> estimate(d + 1);
    for (const Draw& draw : plan.data_point)
      estimate[plan.attributes[draw.position]] += draw.coefficient * x[plan.attributes[draw.position]];
    estimate[d] = options_.bias ? 1 : 0;
    const double eta = options_.step_number;
    for (std::size_t i = 0; i <= d; ++i) {
      const double clipped = std::clamp(phi * estimate[i], -1 / eta, 1 / eta);
      plus_[i] *= std::exp(-eta * clipped);
      minus_[i] *= std::exp(eta * clipped);
    }
  }

  double averaged(std::size_t i) const { return sum_[i] / static_cast<double>(count_); }

 private:
  LearnerOptions options_;
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
  for (const char* algorithm : {"aelr", "ddaelr", "online-lasso"}) {
    for (const double step : {0.005, 0.2}) {
      LearnerOptions options = options_of(algorithm, kDimension, 6);
      options.radius = 8;
      options.bias = true;
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
        CAPTURE(t);
        for (std::size_t i = 0; i < kDimension; ++i) {
          REQUIRE(std::abs(w[i] - naive_w[i]) <= 1e-12 * 8);
          REQUIRE(std::abs(model.weights[i] - naive.averaged(i)) <= 1e-12 * 8);
        }
        REQUIRE(std::abs(model.bias - naive.averaged(kDimension)) <= 1e-12 * 8);
      }
    }
  }
}
