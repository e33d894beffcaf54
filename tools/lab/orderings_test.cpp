#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "lab/experiments/experiment.h"
#include "lab/lab_test_support.h"

namespace orderings_test {

// The papers' orderings on reduced versions of their experiments (KS15 §5, CSS10 §4), with fixed B and step
// and fixed seeds. A margin is a factor on mean test losses, about half of what was measured, and a number of
// standard errors of the mean difference: the runs of a seed have the same order of examples, so that they
// are compared seed by seed.

using namespace glimpse;

namespace {

using Losses = std::vector<double>;

struct Estimate {
  double mean;
  double error;
  double in_errors() const { return mean / error; }
};

Estimate estimate(const Losses& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

double mean(const Losses& losses) { return estimate(losses).mean; }

Losses by_seed(const Losses& a, const Losses& b, double (*compare)(double, double)) {
  Losses compared(a.size());
  std::transform(a.begin(), a.end(), b.begin(), compared.begin(), compare);
  return compared;
}

// By how many standard errors a is the greater.
double above(const Losses& a, const Losses& b) {
  const double errors = estimate(by_seed(a, b, [](double x, double y) { return x - y; })).in_errors();
  fmt::print("    {:.4f} above {:.4f} by {:.1f} standard errors\n", mean(a), mean(b), errors);
  return errors;
}

// The gain of b over a on a data set, as the logarithm of the losses' ratio.
Estimate gain(const Losses& a, const Losses& b) {
  return estimate(by_seed(a, b, [](double x, double y) { return std::log(x / y); }));
}

// By how many standard errors gain a is the greater. They are of different data, so independent.
double above(const Estimate& a, const Estimate& b) {
  const double errors = (a.mean - b.mean) / std::hypot(a.error, b.error);
  fmt::print("    log gain {:.3f} above {:.3f} by {:.1f} standard errors\n", a.mean, b.mean, errors);
  return errors;
}

struct Setting {
  const char* algorithm;
  double radius;
  double step;
  double phase1_share = 0.1;
  double phase1_radius = 0;  // 0: that of the second phase
  double phase1_step = 0;
};

DataSource simulated(const char* data, std::size_t examples) {
  fmt::print("{}, {} examples\n", data, examples);
  DataOptions options;
  options.data = data;
  options.examples = examples;
  return DataSource::load(options).value();
}

Losses losses(const DataSource& source, const Setting& setting, std::uint64_t seeds, std::size_t budget = 5) {
  Experiment e;
  e.curves = {Curve{setting.algorithm, {}, std::nullopt}};
  LearnerOptions& learner = e.curves[0].method.learner;
  learner.algorithm = setting.algorithm;
  learner.budget = budget;
  learner.radius = setting.radius;
  if (has_step(setting.algorithm)) {
    learner.step = StepKind::kNumber;
    learner.step_number = setting.step;
  }
  learner.phase1_fraction = setting.phase1_share;
  if (setting.phase1_radius > 0) learner.phase1_radius = setting.phase1_radius;
  if (setting.phase1_step > 0) learner.phase1_step = setting.phase1_step;
  e.points.all = true;
  e.seeds = seeds;
  PosixFileSystem files;
  Losses losses;
  for (const ResultRow& row :
       run_experiment(e, source, JobStore::open(files, "").value(), {1, true}).value().rows)
    losses.push_back(row.test_loss_ratio);
  const Estimate loss = estimate(losses);
  fmt::print("  {}: {:.4f} +- {:.4f}\n", setting.algorithm, loss.mean, loss.error);
  return losses;
}

}  // namespace

// Radius and step as 5-fold cross-validation chose them for each algorithm on 10,000 examples.
TEST_CASE("ridge: DDAERR is better than AERR, Two-Phased between, the more so the lower rho is" *
          doctest::test_suite("repeats")) {
  const DataSource mild = simulated("simulated:ridge:-1", 10000);
  const Losses aerr = losses(mild, {"aerr", 4, 0.001953125}, 40);
  const Losses two = losses(mild, {"two-phase-ddaerr", 8, 0.0078125}, 40);
  const Losses dda = losses(mild, {"ddaerr", 16, 0.0009765625}, 40);
  CHECK(mean(aerr) > 1.08 * mean(dda));
  CHECK(mean(two) < 0.95 * mean(aerr));
  CHECK(mean(two) > 1.02 * mean(dda));
  CHECK(above(aerr, two) > 3);
  CHECK(above(two, dda) > 3);

  const DataSource low = simulated("simulated:ridge:-2", 10000);
  const Losses low_aerr = losses(low, {"aerr", 2, 0.001953125}, 40);
  const Losses low_two = losses(low, {"two-phase-ddaerr", 2, 0.0078125}, 40);
  const Losses low_dda = losses(low, {"ddaerr", 8, 0.0078125}, 40);
  CHECK(mean(low_aerr) > 1.7 * mean(low_dda));
  CHECK(mean(low_two) < 0.9 * mean(low_aerr));
  CHECK(mean(low_two) > 1.3 * mean(low_dda));
  CHECK(above(low_aerr, low_two) > 3);
  CHECK(above(low_two, low_dda) > 3);
  CHECK(above(gain(low_aerr, low_dda), gain(aerr, dda)) > 3);
}

TEST_CASE("ridge: at rho = 1 knowing the moments changes nothing") {
  const DataSource flat = simulated("simulated:ridge:0", 10000);
  const Losses aerr = losses(flat, {"aerr", 8, 0.0001220703125}, 20);
  const Losses dda = losses(flat, {"ddaerr", 8, 0.0001220703125}, 20);
  CHECK(std::abs(mean(aerr) - mean(dda)) < 0.015);
  CHECK(std::abs(above(aerr, dda)) < 2);
}

// Radius and step are the best of a grid. At alpha = -2 a phase 1 of a tenth misses, in many runs, attributes
// that the label hangs on, and the loss differs so much from run to run (.54 +- .04, 20 runs) that there is
// no saying whether Two-Phased is better than AELR (.44 +- .02); with 30 % there is.
TEST_CASE("lasso: DDAELR is better than AELR, Two-Phased between, the more so the lower rho is" *
          doctest::test_suite("repeats")) {
  const DataSource mild = simulated("simulated:lasso:-1", 20000);
  const Losses aelr = losses(mild, {"aelr", 16, 0.002}, 40);
  const Losses two = losses(mild, {"two-phase-ddaelr", 16, 0.016, 0.1, 32, 0.004}, 40);
  const Losses dda = losses(mild, {"ddaelr", 8, 0.016}, 40);
  CHECK(mean(aelr) > 1.2 * mean(dda));
  CHECK(mean(two) < 0.9 * mean(aelr));
  CHECK(mean(two) > 1.05 * mean(dda));
  CHECK(above(aelr, two) > 3);
  CHECK(above(two, dda) > 3);

  const DataSource low = simulated("simulated:lasso:-2", 20000);
  const Losses low_aelr = losses(low, {"aelr", 128, 0.004}, 40);
  const Losses low_two = losses(low, {"two-phase-ddaelr", 128, 0.016, 0.3, 128, 0.004}, 40);
  const Losses low_dda = losses(low, {"ddaelr", 128, 0.008}, 40);
  CHECK(mean(low_aelr) > 1.35 * mean(low_dda));
  CHECK(mean(low_two) < 0.9 * mean(low_aelr));
  CHECK(mean(low_two) > 1.15 * mean(low_dda));
  CHECK(above(low_aelr, low_two) > 2);
  CHECK(above(low_two, low_dda) > 3);
  CHECK(above(gain(low_aelr, low_dda), gain(aelr, dda)) > 2);
}

// With alpha = 0 every attribute is 1 in every example: the label is a constant, and both learn it.
TEST_CASE("lasso: at rho = 1 knowing the moments changes nothing") {
  const DataSource flat = simulated("simulated:lasso:0", 3000);
  CHECK(mean(losses(flat, {"aelr", 32, 0.001}, 6)) ==
        doctest::Approx(mean(losses(flat, {"ddaelr", 32, 0.001}, 6))));
}

// Radius and step are the best of a grid for each of the two.
TEST_CASE("AER is far better than Baseline on MNIST 3 against 5 with four pixels an image") {
  if (data_folder("GLIMPSE_MNIST") == nullptr) return;
  fmt::print("MNIST 3 against 5, K = 4, all examples\n");
  DataOptions options;
  options.data = "mnist:3,5";
  options.scaling = Scaling::kNone;
  const DataSource source = DataSource::load(options).value();
  const Losses aer = losses(source, {"aer", 4, 0.125}, 20, 4);
  const Losses baseline = losses(source, {"baseline", 0.5, 0}, 20, 4);
  CHECK(mean(aer) < 0.92 * mean(baseline));
  CHECK(above(baseline, aer) > 5);
}

}  // namespace orderings_test
