#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <string>

#include "lab/evaluation.h"
#include "lab/improvement_ratios.h"
#include "lab/lab_test_support.h"

// The theorems' excess-risk bounds with the theorems' own steps and splits, on data that meets their
// assumptions: a simulated set with d = 5, without noise, so that L(w*) = 0 and the excess risk is the risk
// itself. For ridge, x is divided by √d so that ‖x‖₂ ≤ 1, and B = ‖w*‖₂·√d, so that |y| ≤ B‖x‖₂ ≤ B; for
// lasso ‖x‖∞ ≤ 1 as it is, and B = ‖w*‖₁. A bound says something only where it is below the zero predictor's
// risk ½E[y²]; m is so large that this is so where fifty runs of such length take no longer than a few
// seconds.

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 5;
constexpr std::uint64_t kRuns = 50;

struct Bounded {
  DataSet set;
  double radius = 0;     // B
  double half_norm = 0;  // ‖M‖½
  double one_norm = 0;   // ‖M‖₁
  double zero_risk = 0;  // ½E[y²]
};

Bounded bounded_set(bool lasso, std::size_t examples) {
  DataOptions options;
  // α: flat enough that no attribute is all but constant.
  options.data = lasso ? "simulated:lasso:-1" : "simulated:ridge:-1";
  options.dimension = kDimension;
  options.examples = examples;
  options.test_examples = 4000;
  options.data_seed = lasso ? 3 : 1;
  Bounded bounded;
  bounded.set = *DataSource::load(options).value().prepare(1);
  const double root = std::sqrt(static_cast<double>(kDimension));
  if (!lasso)
    for (DenseSet* part : {&bounded.set.train, &bounded.set.test})
      for (float& x : part->values) x = static_cast<float>(x / root);
  for (const double m : second_moments(bounded.set.test)) {
    bounded.half_norm += std::sqrt(m);
    bounded.one_norm += m;
  }
  bounded.half_norm *= bounded.half_norm;
  for (const double y : bounded.set.test.labels) bounded.zero_risk += 0.5 * y * y / 4000;
  // w*, from a least-squares fit, which is exact without noise.
  Method method;
  method.learner.algorithm = "offline-ridge";
  const std::size_t all = examples;
  const Status status = run_method(method, bounded.set.train, natural_order(all), std::span(&all, 1), 1,
                                   [&](const Snapshot& s) {
                                     double square = 0;
                                     double absolute = 0;
                                     for (const double w : s.model.weights) {
                                       square += w * w;
                                       absolute += std::abs(w);
                                     }
                                     CHECK(evaluate(s.model, bounded.set.test).loss_ratio < 1e-9);
                                     bounded.radius = lasso ? absolute : std::sqrt(square);
                                   });
  REQUIRE(status.has_value());
  return bounded;
}

// The mean excess risk of `algorithm` over kRuns runs on fresh orders, with the theory's step.
double mean_excess(const Bounded& bounded, const char* algorithm, double phase1_share) {
  Method method;
  LearnerOptions& o = method.learner;
  o.algorithm = algorithm;
  o.budget = kDimension;
  o.radius = bounded.radius;
  o.step = StepKind::kTheory;
  o.split = Split::kPaper;
  o.confidence.reset();
  o.phase1_fraction = phase1_share;
  const std::size_t m = bounded.set.train.size();
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    Random random(seed);
    const RowOrder order = shuffled_order(m, random);
    const Status status =
        run_method(method, bounded.set.train, order, std::span(&m, 1), seed, [&](const Snapshot& s) {
          sum += evaluate(s.model, bounded.set.test).loss_ratio * bounded.zero_risk;
        });
    REQUIRE(status.has_value());
  }
  return sum / static_cast<double>(kRuns);
}

void check_bound(const char* theorem, double excess, double bound, double zero) {
  fmt::print("{}: mean excess risk {:.4f}, bound {:.4f}, zero predictor {:.4f}\n", theorem, excess, bound,
             zero);
  CHECK(excess <= bound);
}

constexpr double d = kDimension;
constexpr double k = kDimension - 1;

}  // namespace

TEST_CASE("AERR: excess risk at most 4B²√(2d/(km)) (KS15, Theorem 3.1)") {
  const double m = 40000;
  const Bounded s = bounded_set(false, 40000);
  const double bound = 4 * s.radius * s.radius * std::sqrt(2 * d / (k * m));
  CHECK(bound < s.zero_risk);
  check_bound("Theorem 3.1", mean_excess(s, "aerr", 0.1), bound, s.zero_risk);
}

TEST_CASE("DDAERR: excess risk at most 4B²√((‖M‖½/k + 1)/m) (KS15, Theorem 3.3)") {
  const double m = 40000;
  const Bounded s = bounded_set(false, 40000);
  const double bound = 4 * s.radius * s.radius * std::sqrt((s.half_norm / k + 1) / m);
  CHECK(bound < s.zero_risk);
  check_bound("Theorem 3.3", mean_excess(s, "ddaerr", 0.1), bound, s.zero_risk);
}

TEST_CASE("Two-Phased DDAERR: excess risk at most both bounds of KS15, Theorem 3.4") {
  const double m1 = 12000;
  const double m2 = 108000;
  const Bounded s = bounded_set(false, 120000);
  const double square = s.radius * s.radius;
  const double always = 4 * square * std::sqrt(6 * d / (k * m2));
  const double root = std::sqrt(s.half_norm) + d * std::sqrt(2 * d * std::log(2 * d / 0.01) / ((k + 1) * m1));
  const double likely = 16 * square * std::sqrt((root * root / k + 1) / m2);
  const double excess = mean_excess(s, "two-phase-ddaerr", 0.1);
  CHECK(always < s.zero_risk);
  check_bound("Theorem 3.4, first", excess, always, s.zero_risk);
  check_bound("Theorem 3.4, second", excess, likely, s.zero_risk);
}

TEST_CASE("AELR: excess risk at most 4B²√(10·d·ln 2d/(km)) (KS15, Theorem 4.1)") {
  const Bounded s = bounded_set(true, 40000);
  check_bound("Theorem 4.1", mean_excess(s, "aelr", 0.1),
              4 * s.radius * s.radius * std::sqrt(10 * d * std::log(2 * d) / (k * 40000)), s.zero_risk);
}

TEST_CASE("DDAELR: excess risk at most 4B²√(5·ln 2d·(‖M‖₁ + k)/(km)) (KS15, Theorem 4.4)") {
  const Bounded s = bounded_set(true, 40000);
  check_bound("Theorem 4.4", mean_excess(s, "ddaelr", 0.1),
              4 * s.radius * s.radius * std::sqrt(5 * std::log(2 * d) * (s.one_norm + k) / (k * 40000)),
              s.zero_risk);
}

TEST_CASE("Two-Phased DDAELR: excess risk at most both bounds of KS15, Theorem 4.5") {
  const double m1 = 12000;
  const double m2 = 108000;
  const Bounded s = bounded_set(true, 120000);
  const double square = s.radius * s.radius;
  const double log = std::log(2 * d);
  const double epsilon = std::min(d * std::log(2 * d / 0.01) / ((k + 1) * m1), 1.0);
  const double excess = mean_excess(s, "two-phase-ddaelr", 0.1);
  check_bound("Theorem 4.5, first", excess, 61 * square * std::sqrt(d * log / (k * m2)), s.zero_risk);
  check_bound("Theorem 4.5, second", excess,
              4 * square * std::sqrt(5 * (16 * s.one_norm + 88 * d / 3 * epsilon + k) * log / (k * m2)),
              s.zero_risk);
}
