#include "lab/sweeps/sweep_summary.h"

#include <cmath>
#include <doctest/doctest.h>

#include "lab/sweeps/sweep_page.h"

namespace sweep_summary_test {

using namespace glimpse;

namespace {

SweepRow row_of(const char* set, const char* budget, std::uint64_t examples, std::uint64_t seed,
                AnswerLoss loss) {
  SweepRow row;
  row.set = set;
  row.learner = "pairwise";
  row.budget = budget;
  row.prefix = std::to_string(examples);
  row.seed = seed;
  row.dimension = 10;
  row.attributes_each = 5;
  row.examples = examples;
  row.attributes = 5 * examples + seed;
  row.loss = loss;
  row.prefix_mean = 1;
  return row;
}

// Three cells of two seeds. Losses over the mean's: 1 and .5, 2 and 1.05, .5 and .4.
std::vector<SweepRow> sweep_rows() {
  return {row_of("one", "5", 50, 1, {0.8, 0.4}),   row_of("one", "5", 200, 1, {1.5, 1.0}),
          row_of("two", "d/2", 50, 1, {0.5, 0.4}), row_of("one", "5", 50, 2, {1.2, 0.6}),
          row_of("one", "5", 200, 2, {2.5, 1.1}),  row_of("two", "d/2", 50, 2, {0.5, 0.4})};
}

std::string set_of_cell(const SweepCell& cell) { return cell.set; }

}  // namespace

TEST_CASE(
    "a cell's loss is the mean over its seeds, and its error the seeds' deviation over the root of their "
    "number") {
  const auto cells = cells_of(sweep_rows(), {}, SweepReference::kTrainingMean);
  REQUIRE(cells.size() == 3);
  CHECK(cells[0].set == "one");
  CHECK(cells[0].examples == 50);
  CHECK(cells[0].seeds == 2);
  CHECK(cells[0].attributes == 251.5);
  CHECK(cells[0].exported.over_mean == doctest::Approx(1));
  CHECK(cells[0].clipped.over_mean == doctest::Approx(0.5));
  // Deviation of .8 and 1.2: √.08; over √2.
  CHECK(cells[0].exported.error == doctest::Approx(0.2));
  CHECK(cells[1].exported.worst == doctest::Approx(2.5));
  CHECK(cells[1].clipped.over_mean == doctest::Approx(1.05));
  CHECK_FALSE(cells[0].exported.over_best.has_value());
  CHECK_FALSE(cells[0].exported.over_offline.has_value());
}

TEST_CASE(
    "groups have geometric means, and count the cells that are worse than the mean by 2 and by 10 percent") {
  const auto cells = cells_of(sweep_rows(), {}, SweepReference::kTrainingMean);
  const auto all = [](const SweepCell&) { return std::string("all"); };
  const auto exported = groups_of(cells, &SweepCell::exported, all);
  REQUIRE(exported.size() == 1);
  CHECK(exported[0].cells == 3);
  CHECK(exported[0].over_mean == doctest::Approx(1));  // (1·2·.5)^⅓
  CHECK(exported[0].harmful == 1);
  CHECK(exported[0].very_harmful == 1);
  CHECK(exported[0].worst == doctest::Approx(2));
  const auto clipped = groups_of(cells, &SweepCell::clipped, set_of_cell);
  REQUIRE(clipped.size() == 2);
  CHECK(clipped[0].key == "one");
  CHECK(clipped[0].over_mean == doctest::Approx(std::sqrt(0.5 * 1.05)));
  CHECK(clipped[0].harmful == 1);
  CHECK(clipped[0].very_harmful == 0);
  CHECK(clipped[1].over_mean == doctest::Approx(0.4));
}

TEST_CASE("the best in hindsight is one factor for all seeds of a cell, in each form for itself") {
  std::vector<SweepRow> rows = {row_of("one", "5", 50, 1, {0.5, 0.5}), row_of("one", "5", 50, 2, {0.7, 0.7})};
  rows[0].trials = {{0.4, 0.6}, {0.5, 0.2}, {0.9, 0.3}};
  rows[1].trials = {{0.8, 0.8}, {0.7, 0.4}, {0.2, 0.9}};
  rows[0].offline = AnswerLoss{0.2, 0.1};
  rows[1].offline = AnswerLoss{0.4, 0.2};
  const auto cells = cells_of(rows, {0.5, 1, 2}, SweepReference::kTrainingMean);
  REQUIRE(cells.size() == 1);
  CHECK(*cells[0].exported.best_factor == 2);
  CHECK(*cells[0].exported.over_best == doctest::Approx(0.6 / 0.55));
  CHECK(*cells[0].clipped.best_factor == 1);
  CHECK(*cells[0].clipped.over_best == doctest::Approx(0.6 / 0.3));
  CHECK(*cells[0].exported.over_offline == doctest::Approx(2));
  CHECK(*cells[0].clipped.over_offline == doctest::Approx(4));
}

TEST_CASE("losses may be over that of the mean of the prefix") {
  std::vector<SweepRow> rows = {row_of("one", "5", 50, 1, {1, 1}), row_of("one", "5", 50, 2, {2, 1})};
  rows[0].prefix_mean = 1.25;
  rows[1].prefix_mean = 1.75;
  const auto cells = cells_of(rows, {}, SweepReference::kPrefixMean);
  CHECK(cells[0].exported.loss == doctest::Approx(1.5));
  CHECK(cells[0].exported.over_mean == doctest::Approx(1));
  CHECK(cells[0].exported.worst == doctest::Approx(2 / 1.75));
  CHECK(cells[0].clipped.over_mean == doctest::Approx(1 / 1.5));
}

TEST_CASE("the worst cells come first, and those of offline ridge are not among them") {
  auto rows = sweep_rows();
  rows.push_back(row_of("two", "d", 50, 1, {9, 9}));
  rows.back().learner = kOfflineRidge;
  const auto cells = cells_of(rows, {}, SweepReference::kTrainingMean);
  REQUIRE(cells.size() == 4);
  const auto worst = worst_cells(cells, &SweepCell::exported, 0, 2);
  REQUIRE(worst.size() == 2);
  CHECK(worst[0]->examples == 200);
  CHECK(worst[1]->set == "one");
  CHECK(worst_cells(cells, &SweepCell::clipped, kHarmful, 10).size() == 1);
}

TEST_CASE("of cells that are equally bad the first are the first") {
  SweepCell cell;
  cell.learner = "pairwise";
  cell.exported.over_mean = 2;
  const std::vector<SweepCell> cells(40, cell);
  const auto worst = worst_cells(cells, &SweepCell::exported, 1, 30);
  REQUIRE(worst.size() == 30);
  for (std::size_t i = 0; i < worst.size(); ++i) CHECK(worst[i] == &cells[i]);
}

TEST_CASE("a page has the sums of its cells, the harmful ones and the files left out") {
  const auto cells = cells_of(sweep_rows(), {}, SweepReference::kTrainingMean);
  SweepNotes notes;
  notes.sets = {{"one", 10, 300, 40}, {"two", 10, 60, 7}};
  notes.skipped = {"three: line 1: label 'x'"};
  notes.run = "A run.";
  const std::string page = page_of(cells, notes);
  for (const char* line :
       {"# A sweep over 2 data sets\n\nA run.\n", "| two | 10 | 60 | 7 |\n", "- three: line 1: label 'x'\n",
        "| pairwise | all sets, K and prefixes | exported | 3 | 1.000 | – | – | 1 (33.3 %) | 1 | 2.000 |\n",
        "| pairwise | all sets, K and prefixes | clipped | 3 | 0.594 | – | – | 1 (33.3 %) | 0 | 1.050 |\n",
        "| pairwise | d/2 | exported | 1 | 0.500 | – | – | 0 (0.0 %) | 0 | 0.500 |\n",
        "| pairwise | 200 | exported | 1 | 2.000 | – | – | 1 (100.0 %) | 1 | 2.000 |\n",
        "## All cells above 1.02, clipped\n",
        "| one | 10 | pairwise | 5 | 200 | 2.000 ± 0.500 | 2.500 | 2.000 | 1.050 | – | – |\n"}) {
    CAPTURE(line);
    CHECK(page.find(line) != std::string::npos);
  }
  const std::string csv = to_csv(cells);
  CHECK(csv.find("\none,10,pairwise,5,5,200,200,1001.5,2,2,2,0.5,2.5,,,,1.05,1.05,0.05,1.1,,,\n") !=
        std::string::npos);
}

}  // namespace sweep_summary_test
