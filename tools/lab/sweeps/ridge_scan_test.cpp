#include "lab/sweeps/ridge_scan.h"

#include <doctest/doctest.h>

#include "lab/lab_test_support.h"

namespace ridge_scan_test {

using namespace glimpse;

namespace {

DataSource small_source() {
  DataOptions options;
  options.data = "simulated:ridge:-1";
  options.dimension = 20;
  options.examples = 600;
  options.test_examples = 200;
  return DataSource::load(options).value();
}

RidgeScan small_scan() {
  RidgeScan scan;
  scan.budget = 4;
  scan.factors = {0.5, 1, 2};
  scan.points.counts = {100, 600};
  scan.seeds = 2;
  return scan;
}

}  // namespace

TEST_CASE("a scan's rule is what a run gives, and factor 1 is the rule where the gate is open") {
  const DataSource source = small_source();
  const auto points = scan_ridge(small_scan(), source, {1, true}).value();
  REQUIRE(points.size() == 4);
  Experiment experiment;
  experiment.curves = {Curve{"pairwise", {}, std::nullopt}};
  experiment.curves[0].method.learner.algorithm = "pairwise";
  experiment.curves[0].method.learner.budget = 4;
  experiment.curves[0].method.learner.bias = true;
  experiment.points.counts = {100, 600};
  experiment.seeds = 2;
  PosixFileSystem files;
  const auto rows =
      run_experiment(experiment, source, JobStore::open(files, "").value(), {1, true}).value().rows;
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(points[i].loss == rows[i].test_loss_ratio);
    CHECK(points[i].attributes == rows[i].attributes);
  }
  CHECK(points[3].shrink == 1);
  CHECK(points[3].trial_losses[1] == points[3].loss);
  CHECK(points[3].trial_losses[0] != points[3].loss);
}

TEST_CASE("the best in hindsight is one factor for all seeds; the best of each seed is no worse") {
  const std::vector<RidgePoint> points = {{1, 10, 40, 1, 1, 0.5, {0.4, 0.5, 0.9}, 1, 0.5},
                                          {2, 10, 40, 1, 1, 0.7, {0.8, 0.7, 0.2}, 0.5, 0.4}};
  const auto summary = summarise(points, {0.5, 1, 2});
  REQUIRE(summary.size() == 1);
  CHECK(summary[0].loss == doctest::Approx(0.6));
  CHECK(summary[0].best_factor == 2);
  CHECK(summary[0].best_loss == doctest::Approx(0.55));
  CHECK(summary[0].best_each_loss == doctest::Approx(0.3));
  CHECK(summary[0].over_mean() == doctest::Approx(0.8));
  CHECK(summary[0].worst_over_mean == doctest::Approx(1.4));
  CHECK(summary[0].reach_over_mean() == doctest::Approx(0.6));
  CHECK(summary[0].worst_reach_over_mean == doctest::Approx(0.8));
  CHECK(to_csv(points, {0.5, 1, 2}).find("2,10,40,rule,1,1,0.7,0.5\n2,10,40,0.5,0.5,1,0.8,0.5\n") !=
        std::string::npos);
}

TEST_CASE("a scan without prefixes or factors, or a budget beyond the data, is refused") {
  const DataSource source = small_source();
  RidgeScan scan = small_scan();
  scan.points.counts = {601};
  CHECK_FALSE(scan_ridge(scan, source, {1, true}).has_value());
  scan = small_scan();
  scan.factors.clear();
  CHECK_FALSE(scan_ridge(scan, source, {1, true}).has_value());
  scan = small_scan();
  scan.budget = 21;
  CHECK_FALSE(scan_ridge(scan, source, {1, true}).has_value());
}

TEST_CASE("a choice in hindsight is the candidate with the least mean test loss over the orders") {
  const DataSource source = small_source();
  Method method;
  method.learner.algorithm = "ddaerr";
  method.learner.budget = 4;
  TuningOptions options;
  options.radii = {0.5, 4};
  options.steps = {0.001, 0.05};
  options.in_hindsight = true;
  const auto data = source.prepare(1);
  const std::vector<RowOrder> orders{training_order(600, 1), training_order(600, 2)};
  const Tuned tuned = tune_in_hindsight(method, options, data->train, data->test, orders, 7, 1).value();
  CHECK(*tuned.radius == 4);
  CHECK(tuned.step == "0.05");
  CHECK(tuned.loss_ratio < 0.9);
}

TEST_CASE("standardised labels have mean 0 and variance 1 in the training set") {
  DataOptions options;
  options.data = "simulated:ridge:-1";
  options.dimension = 20;
  options.examples = 600;
  options.standardise_labels = true;
  const DataSource source = DataSource::load(options).value();
  double sum = 0;
  double squares = 0;
  for (const double y : source.prepare(1)->train.labels) {
    sum += y;
    squares += y * y;
  }
  CHECK(sum / 600 == doctest::Approx(0).epsilon(1e-9));
  CHECK(squares / 600 == doctest::Approx(1));
  CHECK(source.describe().ends_with("labels=standardised\n"));
}

}  // namespace ridge_scan_test
