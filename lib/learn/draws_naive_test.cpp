#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <optional>
#include <vector>

#include "learn/factory.h"
#include "learn/iterates/step_size.h"
#include "learn/learner_test_support.h"

namespace draws_naive_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

// The weights of ridge and of lasso as their definitions stand, whole vectors, O(d) a step. Coordinates are
// w_i·unit_i for lasso and w_i for ridge.
class NaiveWeights {
 public:
  NaiveWeights(std::size_t n, bool lasso) : lasso_(lasso), own_(n), sum_(n) {}

  bool lasso() const { return lasso_; }

  // `units` of all coordinates, now.
  std::vector<double> weights(const std::vector<double>& units) const {
    if (!lasso_) return own_;
    double z = 0;
    for (const double theta : own_) z += std::exp(theta) + std::exp(-theta);
    std::vector<double> w;
    for (std::size_t i = 0; i < own_.size(); ++i) {
      const double difference = std::exp(own_[i]) - std::exp(-own_[i]);
      w.push_back(units[i] > 0 ? radius_ * difference / z / units[i] : 0);
    }
    return w;
  }
  void count(const std::vector<double>& units) {
    const std::vector<double> w = weights(units);
    for (std::size_t i = 0; i < w.size(); ++i) sum_[i] += lasso_ ? w[i] * units[i] : w[i];
    ++iterates_;
  }
  // What Σ_τ w_τ,i loses.
  double change_unit(std::size_t i, double before, double now) {
    const double shrink = before / now;
    own_[i] = lasso_ ? std::asinh(std::sinh(own_[i]) * shrink) : own_[i] * shrink * shrink;
    return lasso_ && before > 0 ? sum_[i] / before - sum_[i] / now : 0;
  }
  void step(std::size_t i, double amount, double unit) {
    if (unit == 0) return;
    own_[i] -= lasso_ ? std::clamp(amount / unit, -1.0, 1.0) : amount / (unit * unit);
  }
  void project(const std::vector<double>& units) {
    if (lasso_ || !(radius_ > 0)) return;
    double square = 0;
    for (std::size_t i = 0; i < own_.size(); ++i) square += own_[i] * units[i] * own_[i] * units[i];
    if (std::sqrt(square) > radius_)
      for (double& w : own_) w *= radius_ / std::sqrt(square);
  }
  double averaged(std::size_t i, double unit) const {
    if (!lasso_) return sum_[i] / static_cast<double>(iterates_);
    return unit > 0 ? sum_[i] / static_cast<double>(iterates_) / unit : 0;
  }
  long iterates() const { return iterates_; }
  void set_radius(std::optional<double> radius) { radius_ = radius.value_or(0); }

  // From the average, in the ball that set_radius() told. For lasso z± = exp(±θ) with B·sinh θ_i/Σ cosh θ_j =
  // w̄_i, found by bisection for 1/Σ cosh θ.
  void restart(const std::vector<double>& units) {
    std::vector<double> average;
    double norm = 0;
    for (const double sum : sum_) {
      average.push_back(sum / static_cast<double>(iterates_));
      norm += std::abs(average.back()) / radius_;
    }
    own_ = average;
    if (lasso_) {
      for (double& value : average) value *= (norm >= 1 ? 0.99 / norm : 1) / radius_;
      double low = 0;
      double high = 1;
      for (int pass = 0; pass < 200; ++pass) {
        const double r = (low + high) / 2;
        double sum = 0;
        for (const double value : average) sum += std::hypot(r, value);
        (sum < 1 ? low : high) = r;
      }
      for (std::size_t i = 0; i < own_.size(); ++i) own_[i] = std::asinh(average[i] / low);
    }
    std::fill(sum_.begin(), sum_.end(), 0.0);
    iterates_ = 0;
    project(units);
  }

 private:
  bool lasso_;
  double radius_ = 0;        // 0: none
  std::vector<double> own_;  // w; for lasso θ
  std::vector<double> sum_;
  long iterates_ = 0;
};

// Pairs of draws and control variates as their definitions stand: every pair, O(d + K²) a step. Draws and
// centres are those of the plans it is given.
class Naive {
 public:
  Naive(std::size_t d, const LearnerOptions& options)
      : options_(options),
        d_(d),
        weights_(d + 1, has_l1_ball(options.algorithm)),
        mean_(d),
        squares_(d),
        count_(d),
        largest_(d) {
    weights_.set_radius(radius_of_phase1(options));
  }

  double mean(std::size_t i) const { return mean_[i]; }

  void learn(const Plan& plan, const std::vector<double>& example, double y) {
    const std::vector<double> w = weights_.weights(units());
    weights_.count(units());
    for (std::size_t i = 0; i < d_; ++i) shift_ += centred() ? static_cast<long double>(w[i]) * mean_[i] : 0;

    std::vector<double> x = example;
    if (centred())
      for (std::size_t a = 0; a < plan.attributes.size(); ++a) x[plan.attributes[a]] -= plan.centres[a];
    std::vector<double> shrunk(d_, 1.0);
    for (const Attribute i : plan.attributes) shrunk[i] = reveal(i, example[i]);

    const double rest = plan.offset - y;
    double phi = rest;
    std::vector<double> terms;
    for (const Draw& draw : plan.inner_product) {
      const Attribute i = plan.attributes[draw.position];
      terms.push_back(draw.coefficient * shrunk[i] * x[i]);
      phi += terms.back();
    }
    std::vector<double> gradient(d_ + 1);
    std::vector<double> estimate(d_ + 1);
    double square = 1;
    double residual_squares = 0;
    const auto k = static_cast<double>(plan.data_point.size());
    for (std::size_t b = 0; b < plan.data_point.size(); ++b) {
      const Draw& draw = plan.data_point[b];
      const Attribute i = plan.attributes[draw.position];
      double residual = phi;
      if (pairs() && !terms.empty()) {
        residual = 0;
        for (std::size_t a = 0; a < terms.size(); ++a)
          if (a != b) residual += (k * terms[a] + rest) / (k - 1);
      }
      residual_squares += residual * residual / k;
      gradient[i] += residual * draw.coefficient * x[i];
      estimate[i] += draw.coefficient * x[i];
      if (unit(i) > 0) square += trust(i) * draw.coefficient * x[i] * x[i] / (unit(i) * unit(i));
    }
    gradient[d_] = phi;
    estimate[d_] = 1;
    const double eta = step_size(estimate, square, residual_squares);
    for (std::size_t i = 0; i <= d_; ++i) weights_.step(i, eta * trust(i) * gradient[i], unit(i));
    weights_.project(units());
    label_mean_ += (y - label_mean_) / ++labels_;
    if ((labels_ & (labels_ - 1)) == 0 &&
        4 * static_cast<long>(options_.budget) * labels_ >= static_cast<long>(d_))
      pool();
  }

  void begin_phase2() {
    weights_.set_radius(options_.radius);
    weights_.restart(units());
    shift_ = 0;
    step_.begin_phase();
    phase_ = 2;
  }

  double averaged(std::size_t i) const {
    return weights_.iterates() == 0 ? weights_.weights(units())[i] : weights_.averaged(i, unit(i));
  }
  double intercept() const {
    double product = 0;
    if (weights_.iterates() > 0) {
      product = static_cast<double>(shift_ / weights_.iterates());
    } else if (centred()) {
      for (std::size_t i = 0; i < d_; ++i) product += averaged(i) * mean_[i];
    }
    return averaged(d_) - product + (automatic() ? label_mean_ : 0);
  }

 private:
  double step_size(const std::vector<double>& estimate, double square, double residual_squares) {
    if (!automatic())
      return phase_ == 1 ? options_.phase1_step.value_or(options_.step_number) : options_.step_number;
    double norm = 0;
    for (std::size_t i = 0; i <= d_; ++i)
      if (unit(i) > 0) norm += trust(i) * estimate[i] / unit(i) * estimate[i] / unit(i);
    const auto budget = static_cast<double>(options_.budget);
    const auto d = static_cast<double>(d_);
    // The largest ratio M_i/q_i is that of uniform draws, in which lasso's auto step is compared.
    const StepFacts facts{norm,
                          square,
                          pairs() ? budget - 1 : budget - std::floor(budget / 2),
                          std::sqrt(residual_squares),
                          (pairs() ? 2 * d / budget : d / std::floor(budget / 2)) + 1,
                          d_ + 1,
                          2 * d / budget};
    return weights_.lasso() ? exponentiated_.next(facts) : step_.next(facts);
  }

  bool pairs() const { return options_.draws == Draws::kPairs; }
  bool centred() const { return *options_.control_variates; }
  bool automatic() const { return options_.step == StepKind::kAuto; }
  double unit(std::size_t i) const { return automatic() && i < d_ ? static_cast<double>(largest_[i]) : 1; }
  std::vector<double> units() const {
    std::vector<double> all;
    for (std::size_t i = 0; i <= d_; ++i) all.push_back(unit(i));
    return all;
  }

  // By what the weight is multiplied as its attribute's unit grows.
  double reveal(Attribute i, double value) {
    const double mean = mean_[i];
    mean_[i] += (value - mean_[i]) / ++count_[i];
    squares_[i] += value * value;
    const float before = largest_[i];
    auto magnitude = static_cast<float>(std::abs(value));
    if (static_cast<double>(magnitude) < std::abs(value)) magnitude = std::nextafter(magnitude, 1e38F);
    largest_[i] = std::max(before, magnitude);
    if (!automatic() || largest_[i] == before) return 1;
    const double shrink = static_cast<double>(before) / static_cast<double>(largest_[i]);
    const double lost = weights_.change_unit(i, static_cast<double>(before), unit(i));
    if (centred()) shift_ -= static_cast<long double>(lost) * mean;
    return shrink * shrink;
  }

  // UnitTrust from its description.
  double values_of_largest_size(std::size_t i) const {
    return std::max(1.0, squares_[i] / (unit(i) * unit(i)));
  }
  double trust(std::size_t i) const {
    if (!automatic() || i == d_ || unit(i) == 0) return 1;
    const double n = values_of_largest_size(i);
    const double towards = 1 / (1 + spread_ * n);
    const double drawn = std::exp(towards * pooled_ + (1 - towards) * std::log(unit(i)));
    const double ratio = known_ ? unit(i) / std::max(drawn, unit(i)) : 1;
    return n / (n + 2) * ratio * ratio;
  }
  void pool() {
    double weights = 0;
    double sum = 0;
    for (std::size_t i = 0; i < d_; ++i) {
      if (largest_[i] == 0) continue;
      const double n = values_of_largest_size(i);
      weights += n / (n + 1);
      sum += n / (n + 1) * std::log(unit(i));
    }
    known_ = automatic();
    pooled_ = sum / weights;
    double variance = 0;
    for (std::size_t i = 0; i < d_; ++i) {
      if (largest_[i] == 0) continue;
      const double n = values_of_largest_size(i);
      const double difference = std::log(unit(i)) - pooled_;
      variance += n / (n + 1) * (difference * difference - 1 / n) / weights;
    }
    spread_ = std::max(variance, 0.05);
  }

  LearnerOptions options_;
  std::size_t d_;
  int phase_ = 1;
  NaiveWeights weights_;
  std::vector<double> mean_;
  std::vector<double> squares_;
  std::vector<long> count_;
  std::vector<float> largest_;
  bool known_ = false;  // pooled_ and spread_ are
  double pooled_ = 0;
  double spread_ = 0;
  long double shift_ = 0;  // Σ ⟨w_τ, μ_τ⟩
  AutoStep step_;
  ExponentiatedStep exponentiated_;
  long labels_ = 0;
  double label_mean_ = 0;
};

// Attributes of means between 2 and −2, some of which grow to four times their size on the way.
void compare(LearnerOptions options, int examples, std::uint64_t seed) {
  options.outliers = Outliers::kKeep;  // a unit grows by a factor of 4
  const std::size_t d = options.dimension;
  options.bias = true;
  auto lazy = make_learner(options).value();
  Naive naive(d, options);
  Random random(seed);
  Source source(d, seed);
  Plan plan;
  Model model;
  int phase = 1;
  double largest_weight = 0;
  for (int t = 1; t <= examples; ++t) {
    std::vector<double> x = source.next();
    for (std::size_t i = 0; i < d; ++i) {
      x[i] += static_cast<double>(i % 5) - 2;
      if (i % 3 == 0 && t > examples / 2) x[i] *= 4;
    }
    lazy->plan(random, plan);
    for (std::size_t a = 0; a < plan.centres.size(); ++a)
      REQUIRE(std::abs(plan.centres[a] - naive.mean(plan.attributes[a])) <= 1e-12);
    REQUIRE(lazy->learn(plan, reveal(plan, x), source.label(), 1) == Outcome::kLearned);
    naive.learn(plan, x, source.label());
    if (lazy->describe().phase != phase) {
      phase = lazy->describe().phase;
      naive.begin_phase2();
    }
    if (t % 997 != 0 && t != examples) continue;
    lazy->model(model);
    CAPTURE(t);
    for (std::size_t i = 0; i < d; ++i)
      largest_weight = std::max(largest_weight, std::abs(naive.averaged(i)));
    for (std::size_t i = 0; i < d; ++i)
      REQUIRE(std::abs(model.weights[i] - naive.averaged(i)) <= 1e-12 * largest_weight);
    const double scale = largest_weight * static_cast<double>(d);  // of ⟨w, μ⟩
    REQUIRE(std::abs(model.bias - naive.intercept()) <= 1e-12 * scale);
  }
  CHECK(phase == (options.algorithm.starts_with("two-phase-") ? 2 : 1));
  CHECK(largest_weight > 0.01);
}

}  // namespace

TEST_CASE("pairs and control variates agree with whole vectors to 1e-12 over 30,000 steps" *
          doctest::test_suite("repeats")) {
  std::uint64_t seed = 20;
  for (const Form& form : kForms) {
    if (form.draws == Draws::kSeparate && !form.control_variates) continue;
    CAPTURE(static_cast<int>(form.draws));
    CAPTURE(form.control_variates);

    LearnerOptions options = options_of("aerr", 40, 6);  // many projections
    set_form(options, form);
    options.radius = 0.5;
    options.step_number = 0.01;
    compare(options, 30000, ++seed);

    options = options_of("two-phase-ddaerr", 40, 6);  // each phase with a radius of its own
    set_form(options, form);
    options.step_number = 0.003;
    options.phase1_examples = 3000;
    options.radius = 2;
    options.phase1_radius = 0.7;
    compare(options, 30000, ++seed);

    options = options_of("two-phase-ddaerr", 40, 6);  // the auto step and its units, without and with a ball
    set_form(options, form);
    options.step = StepKind::kAuto;
    options.phase1_examples = 5000;
    compare(options, 30000, ++seed);
    options.radius = 2;
    compare(options, 30000, ++seed);
  }
}

TEST_CASE("lasso's pairs and control variates agree with whole vectors to 1e-12 over 10,000 steps") {
  std::uint64_t seed = 40;
  for (const Form& form : kForms) {
    if (form.draws == Draws::kSeparate && !form.control_variates) continue;
    CAPTURE(static_cast<int>(form.draws));
    CAPTURE(form.control_variates);

    LearnerOptions options = options_of("aelr", 40, 6);
    set_form(options, form);
    options.radius = 4;
    options.step_number = 0.005;
    compare(options, 10000, ++seed);

    options = options_of("two-phase-ddaelr", 40, 6);
    set_form(options, form);
    options.step_number = 0.003;
    options.phase1_step = 0.01;
    options.phase1_examples = 2000;
    options.radius = 3;
    options.phase1_radius = 6;
    compare(options, 10000, ++seed);

    options = options_of("aelr", 40, 6);  // the auto step, and units that grow
    set_form(options, form);
    options.step = StepKind::kAuto;
    options.radius = 4;
    compare(options, 10000, ++seed);
  }
}

}  // namespace draws_naive_test
