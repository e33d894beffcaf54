#include <algorithm>
#include <doctest/doctest.h>

#include "learn/factory.h"
#include "learn/iterates/step_size.h"
#include "learn/learner_test_support.h"

namespace gaerr_naive_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

// GAERR as the paper writes it: whole vectors, no laziness, O(d) a step. Draws are those of the plans it is
// given.
class Naive {
 public:
  Naive(std::size_t d, const LearnerOptions& options)
      : options_(options), w_(d + 1), sum_(d + 1), largest_(d) {}

  void learn(const Plan& plan, const std::vector<double>& x, double y) {
    const std::size_t d = largest_.size();
    for (std::size_t i = 0; i <= d; ++i) sum_[i] += w_[i];
    ++count_;

    const bool automatic = options_.step == StepKind::kAuto;
    std::vector<double> shrunk(d, 1.0);
    for (const Attribute i : plan.attributes) {
      const auto before = static_cast<double>(largest_[i]);
      while (static_cast<double>(largest_[i]) < std::abs(x[i]))
        largest_[i] = std::nextafter(std::max(static_cast<float>(std::abs(x[i])), largest_[i]), 1e38F);
      if (static_cast<double>(static_cast<float>(std::abs(x[i]))) >= std::abs(x[i]))
        largest_[i] =
            static_cast<float>(std::max(before, static_cast<double>(static_cast<float>(std::abs(x[i])))));
      const auto now = static_cast<double>(largest_[i]);
      if (automatic && now > before) shrunk[i] = before / now * (before / now);
      w_[i] *= shrunk[i];
    }
    double phi = plan.offset - y;
    for (const Draw& draw : plan.inner_product) {
      const Attribute i = plan.attributes[draw.position];
      phi += draw.coefficient * shrunk[i] * x[i];
    }
    std::vector<double> estimate(d + 1);
    double square = options_.bias ? 1 : 0;
    for (const Draw& draw : plan.data_point) {
      const Attribute i = plan.attributes[draw.position];
      estimate[i] += draw.coefficient * x[i];
      if (unit(i) > 0) square += draw.coefficient * x[i] * x[i] / (unit(i) * unit(i));
    }
    estimate[d] = options_.bias ? 1 : 0;
    double eta = phase_ == 1 ? options_.phase1_step.value_or(options_.step_number) : options_.step_number;
    if (automatic) {
      double norm = 0;
      for (std::size_t i = 0; i <= d; ++i)
        if (unit(i) > 0) norm += estimate[i] / unit(i) * estimate[i] / unit(i);
      eta = step_.next(
          {norm, square, static_cast<double>(options_.budget - options_.budget / 2), phi, 0, d + 1});
    }
    for (std::size_t i = 0; i <= d; ++i)
      if (unit(i) > 0) w_[i] -= eta * phi * estimate[i] / (unit(i) * unit(i));
    project();
  }

  void begin_phase2() {
    for (std::size_t i = 0; i < w_.size(); ++i) w_[i] = averaged(i);
    std::fill(sum_.begin(), sum_.end(), 0.0);
    count_ = 0;
    step_.begin_phase();
    phase_ = 2;
    project();
  }

  double averaged(std::size_t i) const { return count_ == 0 ? w_[i] : sum_[i] / static_cast<double>(count_); }

 private:
  double unit(std::size_t i) const {
    return options_.step == StepKind::kAuto && i < largest_.size() ? static_cast<double>(largest_[i]) : 1;
  }

  void project() {
    const auto radius = phase_ == 1 ? radius_of_phase1(options_) : options_.radius;
    double square = 0;
    for (std::size_t i = 0; i < w_.size(); ++i) square += w_[i] * unit(i) * w_[i] * unit(i);
    if (radius && std::sqrt(square) > *radius)
      for (double& w : w_) w *= *radius / std::sqrt(square);
  }

  LearnerOptions options_;
  int phase_ = 1;
  std::vector<double> w_;
  std::vector<double> sum_;
  std::vector<float> largest_;
  AutoStep step_;
  long count_ = 0;
};

void compare(const LearnerOptions& options, int examples, std::uint64_t seed) {
  const std::size_t d = options.dimension;
  auto lazy = make_learner(options).value();
  Naive naive(d, options);
  Random random(seed);
  Source source(d, seed);
  Plan plan;
  Model model;
  int phase = 1;
  double largest_weight = 0;
  for (int t = 1; t <= examples; ++t) {
    const std::vector<double>& x = source.next();
    lazy->plan(random, plan);
    REQUIRE(lazy->learn(plan, reveal(plan, x), source.label(), 1) == Outcome::kLearned);
    naive.learn(plan, x, source.label());
    if (lazy->describe().phase != phase) {
      phase = lazy->describe().phase;
      naive.begin_phase2();
    }
    if (t % 997 != 0 && t != examples) continue;
    lazy->model(model);
    for (std::size_t i = 0; i < d; ++i)
      largest_weight = std::max(largest_weight, std::abs(naive.averaged(i)));
    for (std::size_t i = 0; i < d; ++i)
      REQUIRE(std::abs(model.weights[i] - naive.averaged(i)) <= 1e-12 * largest_weight);
  }
  CHECK(largest_weight > 0.01);
}

}  // namespace

TEST_CASE("lazy and naive agree to 1e-12 over 30,000 steps: many projections, a large step") {
  LearnerOptions options = options_of("aerr", 40, 6);
  options.radius = 0.5;
  options.step_number = 0.05;
  options.bias = true;
  compare(options, 30000, 1);
}

TEST_CASE("lazy and naive agree to 1e-12 over 30,000 steps: two phases, a radius that binds now and then") {
  LearnerOptions options = options_of("two-phase-ddaerr", 40, 6);
  options.radius = 3;
  options.step_number = 0.02;
  options.phase1_examples = 3000;
  compare(options, 30000, 2);
}

TEST_CASE("lazy and naive agree to 1e-12 over 30,000 steps: each phase with its own radius and step") {
  LearnerOptions options = options_of("two-phase-ddaerr", 40, 6);
  options.step_number = 0.02;
  options.phase1_step = 0.05;
  options.phase1_examples = 3000;
  for (const double phase1_radius : {0.5, 6.0}) {
    options.radius = 2;
    options.phase1_radius = phase1_radius;
    compare(options, 30000, 5);
  }
}

TEST_CASE("lazy and naive agree to 1e-12 over 30,000 steps: the auto step, its units and its phases") {
  LearnerOptions options = options_of("two-phase-ddaerr", 40, 6);
  options.step = StepKind::kAuto;
  options.phase1_examples = 5000;
  compare(options, 30000, 3);
  options.radius = 2;
  compare(options, 30000, 4);
}

}  // namespace gaerr_naive_test
