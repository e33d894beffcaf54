#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <vector>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace pairwise_rate_test {

// THEORY.md's fast rate over n, d and K, with uniform plans, on fair signs x_i = ±1 of which each has a
// chance of √c to be the common sign: Σ = (1 − c)I + c·11ᵀ. y = ⟨w*, x⟩ + noise of variance 1, ‖w*‖ = 1.
// Fixed seeds.

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr double kShared = 0.3;  // c

struct Data {
  Data(std::size_t dimension, std::uint64_t seed) : random(seed), truth(dimension), x(dimension) {
    for (std::size_t i = 0; i < dimension; ++i)
      truth[i] = (i % 2 == 0 ? 1 : -1) / std::sqrt(static_cast<double>(dimension));
  }
  double sign() { return random.below(2) == 0 ? -1 : 1; }
  void next() {
    const double common = sign();
    y = std::sqrt(3.0) * (2 * random.uniform() - 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = random.uniform() < std::sqrt(kShared) ? common : sign();
      y += truth[i] * x[i];
    }
  }
  double excess(const std::vector<double>& w) const {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += w[i] - truth[i];
      squares += (w[i] - truth[i]) * (w[i] - truth[i]);
    }
    return ((1 - kShared) * squares + kShared * sum * sum) / 2;
  }

  Random random;
  std::vector<double> truth;
  std::vector<double> x;
  double y = 0;
};

constexpr int kRuns = 16;
constexpr double kQuantile = 2.947;  // Student's t of 15 degrees, 99 %

std::uint64_t seed_of(std::size_t d, std::size_t budget, int run) {
  return 1000 * d + 100 * budget + static_cast<std::uint64_t>(run);
}

double excess_of_pairwise(std::size_t d, std::size_t budget, std::uint64_t examples, int run) {
  LearnerOptions options = options_of("pairwise", d, budget);
  options.looks = Looks::kUniform;
  options.step = StepKind::kAuto;
  const auto learner = make_learner(options).value();
  Data data(d, seed_of(d, budget, run));
  Random random(static_cast<std::uint64_t>(run));
  Plan plan;
  for (std::uint64_t t = 0; t < examples; ++t) {
    data.next();
    learner->plan(random, plan);
    learner->learn(plan, reveal(plan, data.x), data.y, 1);
  }
  Model model;
  learner->model(model);
  return data.excess(model.weights);
}

// The mutant, which knows no pairs: the slope of each attribute by itself, from as many draws.
double excess_of_slopes(std::size_t d, std::size_t budget, std::uint64_t examples, int run) {
  Data data(d, seed_of(d, budget, run));
  std::vector<double> w(d);
  std::vector<double> counts(d, 1);
  for (std::uint64_t t = 0; t < examples; ++t) {
    data.next();
    for (std::size_t r = 0; r < budget; ++r) {
      const std::size_t i = data.random.below(d);
      w[i] += data.x[i] * data.y;
      counts[i] += 1;
    }
  }
  for (std::size_t i = 0; i < d; ++i) w[i] /= counts[i];
  return data.excess(w);
}

// A mean over runs and the half-width of its 99 % interval.
struct Estimate {
  explicit Estimate(const std::vector<double>& values) {
    double squares = 0;
    for (const double value : values) mean += value / kRuns;
    for (const double value : values) squares += (value - mean) * (value - mean);
    half_width = kQuantile * std::sqrt(squares / (kRuns - 1) / kRuns);
  }
  double mean = 0;
  double half_width = 0;
};

// Logarithms of the excess over the prediction, of each run.
template <class Excess>
std::vector<double> logs(const Excess& excess, std::size_t d, std::size_t budget, std::uint64_t examples,
                         double predicted) {
  std::vector<double> values;
  for (int run = 1; run <= kRuns; ++run)
    values.push_back(std::log(excess(d, budget, examples, run) / predicted));
  return values;
}

}  // namespace

// n is chosen for each d and K so that E‖g‖² = (1/n)·(d·σ²/p₁ + (d − 1)·‖w*‖²·(1/p₂ − 1/p₁)), that of
// independent attributes, is .008, though 1/p₂ goes from 1.5 to 120. The excess over it must be the same
// within a factor of 2.2, and four times the examples must divide it by 4: with the slow rate by 2.
TEST_CASE("pairwise's excess is of order E‖g‖², and falls as 1/n, over a range of n, d and K" *
          doctest::test_suite("repeats")) {
  constexpr double kPredicted = 0.008;
  std::vector<double> exponents(kRuns);
  std::vector<double> of_mutant(kRuns);
  std::vector<double> ratios;
  for (const std::size_t d : {6UL, 10UL, 16UL}) {
    for (const std::size_t budget : {2UL, 3UL, 5UL}) {
      const auto width = static_cast<double>(d);
      const double p1 = static_cast<double>(budget) / width;
      const double p2 = p1 * static_cast<double>(budget - 1) / (width - 1);
      const auto n = static_cast<std::uint64_t>((width / p1 + (width - 1) * (1 / p2 - 1 / p1)) / kPredicted);
      const auto few = logs(excess_of_pairwise, d, budget, n, kPredicted);
      const auto many = logs(excess_of_pairwise, d, budget, 4 * n, kPredicted / 4);
      const auto mutant_few = logs(excess_of_slopes, d, budget, n, kPredicted);
      const auto mutant = logs(excess_of_slopes, d, budget, 4 * n, kPredicted / 4);
      for (std::size_t run = 0; run < few.size(); ++run) {
        exponents[run] += (1 + (few[run] - many[run]) / std::log(4)) / 9;
        of_mutant[run] += (1 + (mutant_few[run] - mutant[run]) / std::log(4)) / 9;
      }
      const Estimate ratio(many);
      fmt::print("d = {}, K = {}, 4n = {}: excess over E‖g‖² {:.3f} ± {:.0f} %, mutant {:.1f}\n", d, budget,
                 4 * n, std::exp(ratio.mean), 100 * ratio.half_width, std::exp(Estimate(mutant).mean));
      ratios.push_back(std::exp(ratio.mean));
      CAPTURE(d);
      CAPTURE(budget);
      CHECK(ratio.mean + ratio.half_width < std::log(1.6));
      CHECK(Estimate(mutant).mean - Estimate(mutant).half_width > std::log(1.6));
    }
  }
  const Estimate exponent(exponents);
  const Estimate mutant(of_mutant);
  fmt::print("falls as n^-({:.3f} ± {:.3f}), the mutant as n^-({:.3f} ± {:.3f})\n", exponent.mean,
             exponent.half_width, mutant.mean, mutant.half_width);
  CHECK(exponent.mean - exponent.half_width > 0.7);
  CHECK(exponent.mean + exponent.half_width < 1.25);
  CHECK(mutant.mean + mutant.half_width < 0.5);
  CHECK(*std::ranges::max_element(ratios) < 2.2 * *std::ranges::min_element(ratios));
}

}  // namespace pairwise_rate_test
