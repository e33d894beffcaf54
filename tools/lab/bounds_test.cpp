#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <span>
#include <vector>

#include "lab/lab_test_support.h"

namespace bounds_test {

// The theorems' excess-risk bounds with the theorems' own steps and splits, on data that meets their
// assumptions: d = 5, and x_i is 0 or ±a_i, independent and with a fair sign, so that ‖x‖₂ ≤ 1 for ridge and
// ‖x‖∞ ≤ 1 for lasso; labels ⟨w*, x⟩ without noise, so that L(w*) = 0 and the excess risk, ½ΣM_i(w_i −
// w*_i)², is known exactly; B = ‖w*‖. A bound says something only where it is below the risk ½ΣM_i·w*_i² of
// the zero predictor, which a learner that does not learn has. Nearly all of w* lies on the attribute that is
// never 0, so that this risk is nearly as large as the assumptions allow, and m is large enough for every
// bound.

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 5;
constexpr std::uint64_t kRuns = 50;
constexpr double d = kDimension;
constexpr double k = kDimension - 1;

struct Problem {
  std::vector<double> sizes;   // a_i
  std::vector<double> shares;  // how often x_i is not 0
  std::vector<double> optimum;
  double radius = 0;     // B
  double half_norm = 0;  // ‖M‖½
  double one_norm = 0;   // ‖M‖₁

  double moment(std::size_t i) const { return sizes[i] * sizes[i] * shares[i]; }
  double risk(std::span<const double> w) const {
    double risk = 0;
    for (std::size_t i = 0; i < kDimension; ++i)
      risk += 0.5 * moment(i) * (w[i] - optimum[i]) * (w[i] - optimum[i]);
    return risk;
  }
  double zero_risk() const { return risk(std::vector<double>(kDimension)); }
};

Problem with_norms(Problem problem, bool lasso) {
  double squares = 0;
  double sum = 0;
  for (std::size_t i = 0; i < kDimension; ++i) {
    squares += problem.optimum[i] * problem.optimum[i];
    sum += std::abs(problem.optimum[i]);
    problem.half_norm += std::sqrt(problem.moment(i));
    problem.one_norm += problem.moment(i);
  }
  problem.half_norm *= problem.half_norm;
  problem.radius = lasso ? sum : std::sqrt(squares);
  return problem;
}

Problem ridge_problem() {
  const double small = std::sqrt(0.05);
  return with_norms({{std::sqrt(0.8), small, small, small, small},
                     {1, 0.8, 0.6, 0.4, 0.2},
                     {1.9, 0.4, -0.4, 0.2, -0.2},
                     0,
                     0,
                     0},
                    false);
}

Problem lasso_problem() {
  return with_norms({{1, 1, 1, 1, 1}, {1, 0.5, 0.2, 0.1, 0.05}, {1.8, -0.1, 0.1, 0, 0}, 0, 0, 0}, true);
}

DenseSet draw_examples(const Problem& problem, std::size_t m, std::uint64_t seed) {
  Random random(seed);
  DenseSet set;
  set.dimension = kDimension;
  std::vector<float> x(kDimension);
  for (std::size_t t = 0; t < m; ++t) {
    double label = 0;
    for (std::size_t i = 0; i < kDimension; ++i) {
      const double sign = random.below(2) == 0 ? -1 : 1;
      x[i] = random.uniform() < problem.shares[i] ? static_cast<float>(sign * problem.sizes[i]) : 0;
      label += problem.optimum[i] * static_cast<double>(x[i]);
    }
    set.append(x, label);
  }
  return set;
}

// The mean over runs, each on examples of its own, with the theory's step; for two phases m₁ = m/10.
double mean_excess(const Problem& problem, const char* algorithm, std::size_t m) {
  Method method;
  LearnerOptions& o = method.learner;
  o.algorithm = algorithm;
  o.budget = kDimension;
  o.radius = problem.radius;
  o.step = StepKind::kTheory;
  o.split = Split::kPaper;
  o.confidence.reset();
  o.phase1_fraction = 0.1;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const DenseSet train = draw_examples(problem, m, seed);
    const Status status = run_method(method, train, natural_order(m), std::span(&m, 1), seed,
                                     [&](const Snapshot& s) { sum += problem.risk(s.model.weights); });
    REQUIRE(status.has_value());
  }
  return sum / static_cast<double>(kRuns);
}

void check_bound(const char* theorem, double excess, double bound, const Problem& problem) {
  const double zero = problem.zero_risk();
  fmt::print("{}: mean excess risk {:.4f}, bound {:.4f}, zero predictor {:.4f}\n", theorem, excess, bound,
             zero);
  CHECK(excess <= bound);
  CHECK(bound < zero);
}

}  // namespace

TEST_CASE("AERR: excess risk at most 4B²√(2d/(km)) (KS15, Theorem 3.1)") {
  const std::size_t m = 20000;
  const Problem p = ridge_problem();
  const double bound = 4 * p.radius * p.radius * std::sqrt(2 * d / (k * m));
  check_bound("Theorem 3.1", mean_excess(p, "aerr", m), bound, p);
}

TEST_CASE("DDAERR: excess risk at most 4B²√((‖M‖½/k + 1)/m) (KS15, Theorem 3.3)") {
  const std::size_t m = 20000;
  const Problem p = ridge_problem();
  const double bound = 4 * p.radius * p.radius * std::sqrt((p.half_norm / k + 1) / m);
  check_bound("Theorem 3.3", mean_excess(p, "ddaerr", m), bound, p);
}

TEST_CASE("Two-Phased DDAERR: excess risk at most both bounds of KS15, Theorem 3.4" *
          doctest::test_suite("repeats")) {
  const double m1 = 4000;
  const double m2 = 36000;
  const Problem p = ridge_problem();
  const double square = p.radius * p.radius;
  const double always = 4 * square * std::sqrt(6 * d / (k * m2));
  const double root = std::sqrt(p.half_norm) + d * std::sqrt(2 * d * std::log(2 * d / 0.01) / ((k + 1) * m1));
  const double likely = 16 * square * std::sqrt((root * root / k + 1) / m2);
  const double excess = mean_excess(p, "two-phase-ddaerr", 40000);
  check_bound("Theorem 3.4, first", excess, always, p);
  check_bound("Theorem 3.4, second", excess, likely, p);
}

TEST_CASE("AELR: excess risk at most 4B²√(10·d·ln 2d/(km)) (KS15, Theorem 4.1)") {
  const std::size_t m = 20000;
  const Problem p = lasso_problem();
  const double bound = 4 * p.radius * p.radius * std::sqrt(10 * d * std::log(2 * d) / (k * m));
  check_bound("Theorem 4.1", mean_excess(p, "aelr", m), bound, p);
}

TEST_CASE("DDAELR: excess risk at most 4B²√(5·ln 2d·(‖M‖₁ + k)/(km)) (KS15, Theorem 4.4)") {
  const std::size_t m = 20000;
  const Problem p = lasso_problem();
  const double bound = 4 * p.radius * p.radius * std::sqrt(5 * std::log(2 * d) * (p.one_norm + k) / (k * m));
  check_bound("Theorem 4.4", mean_excess(p, "ddaelr", m), bound, p);
}

TEST_CASE("Two-Phased DDAELR: excess risk at most both bounds of KS15, Theorem 4.5" *
          doctest::test_suite("repeats")) {
  const double m1 = 12000;
  const double m2 = 108000;
  const Problem p = lasso_problem();
  const double square = p.radius * p.radius;
  const double log = std::log(2 * d);
  const double epsilon = std::min(d * std::log(2 * d / 0.01) / ((k + 1) * m1), 1.0);
  const double excess = mean_excess(p, "two-phase-ddaelr", 120000);
  check_bound("Theorem 4.5, first", excess, 61 * square * std::sqrt(d * log / (k * m2)), p);
  check_bound("Theorem 4.5, second", excess,
              4 * square * std::sqrt(5 * (16 * p.one_norm + 88 * d / 3 * epsilon + k) * log / (k * m2)), p);
}

}  // namespace bounds_test
