#include "lab/sweeps/sweep_run.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "lab/lab_test_support.h"
#include "lab/offline/leave_one_out_ridge.h"
#include "lab/sweeps/ridge_scan.h"
#include "lab/sweeps/sweep_page.h"

namespace sweep_run_test {

using namespace glimpse;

namespace {

SweepSet factor_set() {
  SweepSet set;
  set.name = set.data.data = "simulated:factors:2:12";
  set.data.examples = 400;
  set.data.test_examples = 100;
  return set;
}

Sweep small_sweep() {
  Sweep sweep;
  sweep.learners = {parse_named_options("algorithms", "pairwise", 0).value()};
  sweep.budgets = parse_budgets("2,d/4,d").value();
  sweep.points.counts = {50, 200, 1000};
  sweep.points.all = true;
  sweep.seeds = 2;
  return sweep;
}

std::vector<SweepRow> rows_of(const SweepSet& set, const Sweep& sweep, std::size_t threads) {
  const SweepSource source = SweepSource::load(set, sweep.first_seed).value();
  Progress progress("", 0, true);
  return run_sweep(set.name, source, sweep, threads, progress).value();
}

}  // namespace

TEST_CASE("budgets are numbers or parts of d, and those that a data set has no attributes for are left out") {
  const auto budgets = parse_budgets("5,d/10,d").value();
  REQUIRE(budgets.size() == 3);
  CHECK(budgets[0].of(20) == 5);
  CHECK_FALSE(budgets[0].of(4).has_value());
  CHECK(budgets[1].of(29) == 2);
  CHECK_FALSE(budgets[1].of(19).has_value());
  CHECK(budgets[2].of(19) == 19);
  for (const char* bad : {"1", "d/0", "d/x", "", "5,", "x"}) {
    CAPTURE(bad);
    CHECK(parse_budgets(bad).error().message.starts_with("--budgets: '"));
  }
}

TEST_CASE("every seed has a row for each K and prefix, and for offline ridge at each prefix") {
  const auto rows = rows_of(factor_set(), small_sweep(), 1);
  // K of 2, 3 and 12, and offline ridge, at 50, 200 and all 400.
  REQUIRE(rows.size() == 2 * 4 * 3);
  CHECK(rows[0].seed == 1);
  CHECK(rows[0].attributes_each == 2);
  CHECK(rows[0].prefix == "50");
  CHECK(rows[0].attributes == 100);
  CHECK(rows[2].prefix == "all");
  CHECK(rows[2].examples == 400);
  CHECK(rows[3].budget == "d/4");
  CHECK(rows[9].learner == kOfflineRidge);
  CHECK(rows[9].attributes == 600);
  CHECK(rows[0].offline->exported == rows[9].loss.exported);
  CHECK(rows[12].seed == 2);
  CHECK(rows[8].loss.exported < 0.6);
}

TEST_CASE("where two budgets are the same K, the first is run") {
  Sweep sweep = small_sweep();
  sweep.budgets = parse_budgets("3,d/4,20").value();
  sweep.offline = OfflineExamples::kNone;
  const auto rows = rows_of(factor_set(), sweep, 1);
  CHECK(rows.size() == 2 * 3);
  CHECK(rows[0].budget == "3");
  CHECK_FALSE(rows[0].offline.has_value());
}

TEST_CASE("a row's loss as exported is that of the experiment's row with the same seed") {
  const TemporaryFolder folder;
  std::string text;
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const double x = random.uniform();
    text += fmt::format("{},{},{},{}\n", 3 * x + random.uniform(), x, random.uniform(), random.uniform());
  }
  SweepSet set;
  set.name = "t";
  set.data.data = folder.write("t.csv", text);
  Sweep sweep = small_sweep();
  sweep.budgets = parse_budgets("2").value();
  sweep.factors = {0.5, 1};
  const auto rows = rows_of(set, sweep, 2);
  DataOptions options = set.data;
  options.standardise_labels = true;
  RidgeScan scan;
  scan.budget = 2;
  scan.factors = sweep.factors;
  scan.points = sweep.points;
  scan.seeds = 2;
  const auto points = scan_ridge(scan, DataSource::load(options).value(), {1, true}).value();
  std::size_t next = 0;
  for (const SweepRow& row : rows) {
    if (row.learner == kOfflineRidge) continue;
    const RidgePoint& point = points[next++];
    CHECK(row.loss.exported == doctest::Approx(point.loss).epsilon(1e-12));
    CHECK(row.prefix_mean == doctest::Approx(point.mean_loss).epsilon(1e-12));
    CHECK(row.attributes == point.attributes);
    REQUIRE(row.trials.size() == 2);
    CHECK(row.trials[0].exported == doctest::Approx(point.trial_losses[0]).epsilon(1e-12));
  }
  CHECK(next == points.size());
}

TEST_CASE("offline ridge may be trained on the whole training set") {
  Sweep sweep = small_sweep();
  sweep.offline = OfflineExamples::kTraining;
  const auto rows = rows_of(factor_set(), sweep, 1);
  CHECK(rows[9].loss.exported == rows[11].loss.exported);
  CHECK(rows[0].offline->clipped == rows[11].loss.clipped);
  CHECK(rows[9].attributes == 400 * 12);
}

TEST_CASE("the page is the same for any number of threads") {
  const auto page = [](std::size_t threads) {
    Sweep sweep = small_sweep();
    sweep.seeds = 3;
    sweep.factors = {0.5, 2};
    sweep.learners.push_back(parse_named_options("algorithms", "aerr", 0).value());
    sweep.learners.push_back(parse_named_options("algorithms", "online-ridge", 0).value());
    const auto rows = rows_of(factor_set(), sweep, threads);
    const auto cells = cells_of(rows, sweep.factors, SweepReference::kTrainingMean);
    return page_of(cells, {}) + to_csv(cells) + to_csv(rows);
  };
  const std::string one = page(1);
  CHECK(one == page(2));
  CHECK(one.find("| online-ridge | d | clipped |") != std::string::npos);
}

TEST_CASE("a learner whose options are wrong is refused with the data set's name") {
  Sweep sweep = small_sweep();
  sweep.learners = {parse_named_options("algorithms", "aelr", 0).value()};
  const SweepSource source = SweepSource::load(factor_set(), 1).value();
  Progress progress("", 0, true);
  const auto rows = run_sweep("t", source, sweep, 1, progress);
  CHECK(rows.error().code == ErrorCode::kInvalidOption);
  CHECK(rows.error().message.starts_with("t: --algorithm aelr: needs --radius"));
  sweep = small_sweep();
  sweep.points = {};
  sweep.points.counts = {500};
  CHECK(run_sweep("t", source, sweep, 1, progress).error().message ==
        "t: no prefix is from 1 to 400, the number of training examples");
  sweep = small_sweep();
  sweep.budgets = parse_budgets("13").value();
  CHECK(run_sweep("t", source, sweep, 1, progress).error().message ==
        "t: no K of --budgets is from 2 to 12, its attributes");
}

}  // namespace sweep_run_test
