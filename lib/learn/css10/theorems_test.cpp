#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <vector>

#include "learn/css10/css10_test_support.h"
#include "learn/factory.h"
#include "learn/linalg/l1_ball.h"

namespace css10_theorems_test {

// What the theorems of CSS10 say, each beside a learner of which it does not hold. Fixed seeds; a band is 3
// standard errors of a mean over runs.

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr int kRuns = 100;

struct Mean {
  double value = 0;
  double error = 0;
  double low() const { return value - 3 * error; }
  double high() const { return value + 3 * error; }
};

template <class Run>
Mean over_runs(const Run& run, int runs = kRuns) {
  double sum = 0;
  double squares = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    const double value = run(static_cast<std::uint64_t>(seed));
    sum += value;
    squares += value * value;
  }
  const double mean = sum / runs;
  return {mean, std::sqrt((squares / runs - mean * mean) / (runs - 1))};
}

// x_i = ±1, each with a chance of √½ the sign of all, else its own: correlations of ½. y = ±1 of mean ⟨w*,
// x⟩, w* = ±1/d, so that ‖w*‖₁ = B = 1 and ‖w*‖₂ = B/√d. The excess is (w − w*)ᵀΣ(w − w*).
struct Correlated {
  static constexpr std::size_t d = 8;

  explicit Correlated(std::uint64_t seed) : random(seed) {}
  double sign() { return random.below(2) == 0 ? -1 : 1; }
  static double truth(std::size_t i) { return (i % 2 == 0 ? 1.0 : -0.5) / d; }
  void next() {
    const double common = sign();
    double mean = 0;
    for (std::size_t i = 0; i < d; ++i) {
      x[i] = random.uniform() < std::sqrt(0.5) ? common : sign();
      mean += truth(i) * x[i];
    }
    y = random.uniform() < (1 + mean) / 2 ? 1 : -1;
  }
  static double excess(std::span<const double> w) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < d; ++i) {
      sum += w[i] - truth(i);
      squares += (w[i] - truth(i)) * (w[i] - truth(i));
    }
    return (squares + sum * sum) / 2;
  }

  Random random;
  std::vector<double> x = std::vector<double>(d);
  double y = 0;
};

constexpr double kBudget = 4;

// λ of Theorem 2, as the step 2/(λt).
double theory_step(double examples) {
  const double d = Correlated::d;
  const double second = 1 / std::sqrt(d);  // B₂
  return 2 / (2 * d / second * std::sqrt(std::log(examples) / (examples * kBudget)));
}

double excess(const char* algorithm, int examples, std::uint64_t seed) {
  LearnerOptions options = css10_options(algorithm, Correlated::d, static_cast<std::size_t>(kBudget), 1);
  options.step_number = theory_step(examples);
  const auto learner = make_learner(options).value();
  Correlated data(seed);
  Random random(seed + 100);
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    data.next();
    learner->plan(random, plan);
    learner->learn(plan, reveal(plan, data.x), data.y, 1);
  }
  Model model;
  learner->model(model);
  return Correlated::excess(model.weights);
}

// Algorithm 2 with indices for ŷ that are uniform, though it counts them as drawn by |w|.
double excess_of_uniform_index(int examples, std::uint64_t seed) {
  constexpr std::size_t d = Correlated::d;
  const double step = theory_step(examples);
  Correlated data(seed);
  std::vector<double> w(d);
  std::vector<double> mean(d);
  std::vector<double> work;
  for (int t = 1; t <= examples; ++t) {
    data.next();
    double residual = -data.y;
    for (int r = 0; r < 2; ++r) {
      const std::size_t i = data.random.below(d);
      residual += std::copysign(l1_norm(w) / 2, w[i]) * data.x[i];
    }
    const std::size_t first = data.random.below(d);
    for (const std::size_t j : {first, (first + 1 + data.random.below(d - 1)) % d})
      w[j] -= step * residual * data.x[j] * d / 2;  // of (1 − 1/t)·w·t, which is what w holds here
    for (double& value : w) value /= t;
    project_onto_l1_ball(w, 1, work);
    for (std::size_t i = 0; i < d; ++i) mean[i] += w[i] / examples;
    for (double& value : w) value *= t;
  }
  return Correlated::excess(mean);
}

// Footnote 2 of the paper: the baseline that takes Σ for the identity.
double excess_without_pairs(int examples, std::uint64_t seed) {
  Correlated data(seed);
  std::vector<double> w(Correlated::d);
  std::vector<double> work;
  for (int t = 0; t < examples; ++t) {
    data.next();
    for (int r = 0; r < 4; ++r) {
      const std::size_t i = data.random.below(Correlated::d);
      w[i] += data.y * data.x[i] * Correlated::d / kBudget / examples;
    }
  }
  project_onto_l1_ball(w, 1, work);
  return Correlated::excess(w);
}

}  // namespace

TEST_CASE(
    "the excess of AER and the baseline falls at least as √(ln m/m) and √(1/m) (CSS10, Theorems 1 and 2)" *
    doctest::test_suite("repeats")) {
  struct Case {
    const char* name;
    double (*excess)(int, std::uint64_t);
    bool falls;
  };
  const Case cases[] = {
      {"aer", [](int m, std::uint64_t seed) { return excess("aer", m, seed); }, true},
      {"baseline", [](int m, std::uint64_t seed) { return excess("baseline", m, seed); }, true},
      {"aer, uniform index", excess_of_uniform_index, false},
      {"baseline without pairs", excess_without_pairs, false}};
  constexpr int kFew = 2000;
  constexpr int kMany = 16 * kFew;
  for (const Case& c : cases) {
    const Mean few = over_runs([&](std::uint64_t seed) { return c.excess(kFew, seed); });
    const Mean many = over_runs([&](std::uint64_t seed) { return c.excess(kMany, seed); });
    const double rate = std::sqrt(std::log(kMany) / std::log(kFew) / 16);
    fmt::print("{}: {:.5f} ± {:.5f} after {}, {:.5f} ± {:.5f} after {}\n", c.name, few.value, few.error, kFew,
               many.value, many.error, kMany);
    CAPTURE(c.name);
    CHECK((many.high() < rate * few.low()) == c.falls);
  }
}

// The theorem's distribution: fair signs, y = x_j with a chance of ½ + √ε. Who reaches an excess below ε
// knows j.
TEST_CASE("who sees K of d attributes needs d/(Kε) examples to find the one that counts (CSS10, Theorem 3)" *
          doctest::test_suite("repeats")) {
  // How often the largest mean of y·x_i over the examples that show i is that of j, in 60 runs.
  const auto found = [](std::size_t d, std::size_t budget, double epsilon, std::size_t examples) {
    Random random(7);
    int hits = 0;
    for (int run = 0; run < 60; ++run) {
      std::vector<double> sums(d);
      std::vector<double> counts(d, 1);
      for (std::size_t t = 0; t < examples; ++t) {
        for (std::size_t r = 0; r < budget; ++r) {
          const std::size_t i = budget == d ? r : random.below(d);
          const double chance = i == 0 ? 0.5 + std::sqrt(epsilon) : 0.5;
          sums[i] += random.uniform() < chance ? 1 : -1;  // y·x_i; j is 0
          counts[i] += 1;
        }
      }
      for (std::size_t i = 0; i < d; ++i) sums[i] /= std::sqrt(counts[i]);
      hits += std::max_element(sums.begin(), sums.end()) == sums.begin();
    }
    return hits / 60.0;
  };
  const auto bound = [](double d, double budget, double epsilon) {
    return static_cast<std::size_t>(std::floor(d / (96 * budget * epsilon)) / 2);
  };
  const double few = found(1024, 2, 0.06, bound(1024, 2, 0.06));
  const double whole = found(1024, 1024, 0.06, bound(1024, 2, 0.06));
  fmt::print("{} examples: found in {:.2f} of runs with K = 2, in {:.2f} with all attributes\n",
             bound(1024, 2, 0.06), few, whole);
  CHECK(few < 0.1);
  CHECK(whole > 0.25);  // the mutant: it sees more than K
}

// x ∈ {±1}³, y = (x₁ + x₂ + x₃)/3. A strategy looks at `first`, and then at an attribute that depends on its
// value; the best prediction is the mean of y where both are as seen.
TEST_CASE(
    "two attributes of three leave a loss of 1/9 to any strategy, three leave none (CSS10, Theorem 4)") {
  const auto value = [](std::size_t example, std::size_t i) { return (example >> i & 1) != 0 ? 1.0 : -1.0; };
  const auto label = [&](std::size_t e) { return (value(e, 0) + value(e, 1) + value(e, 2)) / 3; };
  double least = 1;
  for (std::size_t first = 0; first < 3; ++first) {
    for (std::size_t strategy = 0; strategy < 9; ++strategy) {
      double loss = 0;
      for (std::size_t e = 0; e < 8; ++e) {
        const std::size_t second = value(e, first) > 0 ? strategy % 3 : strategy / 3;
        double sum = 0;
        double count = 0;
        for (std::size_t other = 0; other < 8; ++other)
          if (value(other, first) == value(e, first) && value(other, second) == value(e, second)) {
            sum += label(other);
            ++count;
          }
        loss += (label(e) - sum / count) * (label(e) - sum / count) / 8;
      }
      least = std::min(least, loss);
    }
  }
  CHECK(least == doctest::Approx(1.0 / 9));

  // Though no example is seen whole, two attributes of each are enough to learn w*.
  LearnerOptions options = css10_options("aer", 3, 2, 2);
  options.step_number = 100;  // λ = .02
  const auto learner = make_learner(options).value();
  Random random(3);
  Plan plan;
  for (int t = 0; t < 20000; ++t) {
    const std::size_t e = random.below(8);
    learner->plan(random, plan);
    learner->learn(plan, reveal(plan, {value(e, 0), value(e, 1), value(e, 2)}), label(e), 1);
  }
  Model model;
  learner->model(model);
  for (const double w : model.weights) CHECK(std::abs(w - 1.0 / 3) < 0.03);
}

}  // namespace css10_theorems_test
