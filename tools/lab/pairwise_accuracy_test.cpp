#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "lab/lab_test_support.h"
#include "lab/sweeps/ridge_scan.h"

namespace pairwise_accuracy_test {

// What the pairwise learner must do without anything tuned, on reduced versions of the runs of PAIRWISE.md
// and EXPERIMENTS.md, with fixed seeds. Margins are about half of what was measured to be left.

using namespace glimpse;

namespace {

std::vector<RidgeSummary> scan(const DataOptions& data, std::size_t budget, std::vector<std::uint64_t> counts,
                               std::uint64_t seeds, const std::vector<double>& factors = {1}) {
  const DataSource source = DataSource::load(data).value();
  RidgeScan scan;
  scan.budget = budget;
  scan.factors = factors;
  scan.points.counts = std::move(counts);
  scan.seeds = seeds;
  const auto summaries = summarise(scan_ridge(scan, source, {1, true}).value(), factors);
  for (const RidgeSummary& s : summaries)
    fmt::print("{}, K = {}, {} examples: {:.4f}, over the mean {:.3f}, over the best ridge {:.3f}\n",
               data.data.substr(data.data.rfind('/') + 1), budget, s.examples, s.loss, s.over_mean(),
               s.over_best());
  return summaries;
}

DataOptions file(const char* folder, const char* name) {
  DataOptions options;
  options.data = fmt::format("{}/{}.csv.gz", folder, name);
  options.split_seed = 0;
  return options;
}

const std::vector<double> kFactors{0.125, 0.25, 0.5, 0.707, 1, 1.414, 2, 4, 8};

}  // namespace

TEST_CASE("on simulated data it is never worse than predicting the mean" * doctest::test_suite("repeats")) {
  for (const char* data : {"simulated:ridge:0", "simulated:ridge:-0.5", "simulated:ridge:-1"}) {
    DataOptions options;
    options.data = data;
    options.examples = 1000;
    for (const RidgeSummary& s : scan(options, 5, {50, 100, 200, 500, 1000}, 20)) CHECK(s.over_mean() < 1.02);
  }
}

TEST_CASE("on data in units of its own it is never worse than the mean, and soon much better") {
  const char* folder = data_folder("GLIMPSE_DATA");
  if (folder == nullptr) return;
  for (const auto& [name, half] : {std::pair{"ailerons", 0.65}, std::pair{"bike_hour", 0.8},
                                   std::pair{"cal_housing", 0.6}, std::pair{"abalone", 0.7}}) {
    const auto summaries = scan(file(folder, name), 5, {50, 100, 1000}, 10, kFactors);
    for (const RidgeSummary& s : summaries) CHECK(s.over_mean() < 1.02);
    CHECK(summaries[1].over_mean() < half);
    CHECK(summaries.back().over_best() < 1.1);
  }
}

TEST_CASE("heavy tails: within a tenth of the best ridge after 1,000 examples") {
  const char* folder = data_folder("GLIMPSE_DATA");
  if (folder == nullptr) return;
  CHECK(scan(file(folder, "cpu_act"), 5, {1000}, 10, kFactors).back().over_best() < 1.1);
}

TEST_CASE("MNIST 3 against 5: .42 and .31 with K = 57 after 200 and 1,000 examples") {
  if (data_folder("GLIMPSE_MNIST") == nullptr) return;
  DataOptions options;
  options.data = "mnist:3,5";
  options.scaling = Scaling::kNone;
  const auto summaries = scan(options, 57, {200, 1000}, 10);
  CHECK(summaries[0].loss < 0.42);
  CHECK(summaries[1].loss < 0.31);
}

}  // namespace pairwise_accuracy_test
