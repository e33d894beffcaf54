#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "daemon/training_log.h"
#include "learn/factory.h"

namespace progress_table_test {

using namespace glimpse;

TEST_CASE("a row is due at each power of two, also after a restore") {
  LearnerOptions options;
  options.dimension = 2;
  options.budget = 2;
  const auto learner = *make_learner(options);
  ProgressTable table(*learner);
  CHECK_FALSE(table.due(0));
  Random random(1);
  Plan plan;
  std::vector<std::uint64_t> rows;
  for (int i = 0; i < 20; ++i) {
    learner->plan(random, plan);
    const std::vector<double> values(plan.attributes.size(), 1.0);
    REQUIRE(learner->learn(plan, values, 1, 1) == Outcome::kLearned);
    if (!table.due(learner->counts().examples)) continue;
    rows.push_back(learner->counts().examples);
    const std::string row = table.row(*learner, "1");
    CHECK(std::count(row.begin(), row.end(), '\n') == 1);
  }
  CHECK(rows == std::vector<std::uint64_t>{1, 2, 4, 8, 16});

  const ProgressTable restored(*learner);  // of 20 examples
  CHECK_FALSE(restored.due(31));
  CHECK(restored.due(32));
}

TEST_CASE("where nothing is estimated there is a dash, not a loss of 0") {
  LearnerOptions options;
  options.dimension = 2;
  options.budget = 2;
  options.algorithm = "baseline";
  options.radius = 1;
  const auto learner = *make_learner(options);
  Random random(1);
  Plan plan;
  learner->plan(random, plan);
  // An example of importance 0 counts and is not judged.
  REQUIRE(learner->learn(plan, std::vector<double>(plan.attributes.size(), 1.0), 1, 0) == Outcome::kLearned);
  ProgressTable table(*learner);
  CHECK(table.row(*learner, "1").starts_with("        -           -         -      -       -            1"));
}

TEST_CASE("R2 of what was held out stands beside the other, each with its standard error") {
  LearnerOptions options;
  options.dimension = 2;
  options.budget = 2;
  options.algorithm = "pairwise";
  const auto learner = *make_learner(options);
  Random random(1);
  Plan plan;
  for (const double label : {1.0, -1.0, 1.0, -1.0}) {
    learner->plan(random, plan);
    REQUIRE(learner->learn(plan, std::vector<double>{1, 2}, label, 1) == Outcome::kLearned);
  }
  ProgressTable table(*learner);
  CHECK(ProgressTable::header(false, true).size() == ProgressTable::header(false).size() + 2 * 15);
  HeldOut held_out;
  held_out.recent = {.count = 4, .mean = 0.25, .squares = 0.12};  // the labels' variance is 1
  const std::string row = table.row(*learner, "1", held_out);
  CHECK(row.find("  0.750     0.1 ") != std::string::npos);
  held_out.recent.mean = -0.25;
  CHECK(table.row(*learner, "1", held_out).find("  1.000     0.1 ") != std::string::npos);
}

TEST_CASE(
    "of classes that were held out the share of wrong ones, the log loss and the Brier score are shown") {
  LearnerOptions options;
  options.dimension = 2;
  options.budget = 2;
  options.algorithm = "pairwise";
  const auto learner = *make_learner(options);
  learner->make_classifier(2);
  ProgressTable table(*learner);
  const std::string header = ProgressTable::header(false, true, true);
  CHECK(header.size() == ProgressTable::header(false, true).size() + 2 * 15);
  CHECK(header.find("  wrong     its     log  Brier ") != std::string::npos);
  CHECK(header.find(" h. out   error    loss  score ") != std::string::npos);
  ClassReport report;
  const double sure[] = {0.8, 0.2};
  report.add(sure, 0);
  report.add(sure, 1);
  HeldOut held_out;
  held_out.classes = std::make_shared<const ClassReport>(report);
  CHECK(table.row(*learner, "1", held_out).find("  0.500     0.5   0.916  0.680 ") != std::string::npos);
  for (int t = 0; t < 2000; ++t) report.add(sure, 0);  // of the recent ones all
  held_out.classes = std::make_shared<const ClassReport>(report);
  CHECK(table.row(*learner, "1", held_out).find("  0.000       0   0.223  0.080 ") != std::string::npos);
  held_out.classes = nullptr;
  CHECK(table.row(*learner, "1", held_out).find("      -       -       -      - ") != std::string::npos);
}

TEST_CASE("a learner that solves shows the examples in its model in place of a step") {
  LearnerOptions options;
  options.dimension = 2;
  options.budget = 2;
  options.algorithm = "pairwise";
  const auto learner = *make_learner(options);
  ProgressTable table(*learner);
  CHECK(ProgressTable::header(false).ends_with("in model\n"));
  CHECK(table.row(*learner, "1").ends_with("  -\n"));
  Random random(1);
  Plan plan;
  for (int i = 0; i < 3; ++i) {
    learner->plan(random, plan);
    REQUIRE(learner->learn(plan, std::vector<double>{1, 2}, 1, 1) == Outcome::kLearned);
  }
  Model model;
  learner->model(model);
  CHECK(table.row(*learner, "1").ends_with("  3\n"));
}

}  // namespace progress_table_test
