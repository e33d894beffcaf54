#include "lab/studies/figures.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <set>

#include "lab/lab_test_support.h"
#include "lab/results/plot.h"
#include "lab/results/summary.h"
#include "lab/studies/figure_run.h"

namespace figures_test {

using namespace glimpse;

TEST_CASE("names are unique, and the beginning of names means all of them") {
  std::set<std::string> names;
  for (const Figure& figure : figures()) names.insert(figure.name);
  CHECK(names.size() == figures().size());
  CHECK(find_figures("all").size() == figures().size());
  CHECK(find_figures("ks15-1").size() == 4);
  CHECK(find_figures("ks15-3").size() == 1);
  CHECK(find_figures("css10-table").size() == 1);
  CHECK(find_figures("").empty());
  CHECK(find_figures("ks16").empty());
}

TEST_CASE("curves against attributes end where the budgeted learners have seen all examples") {
  const Figure figure = find_figures("ks15-1d").front();
  const MeasuringPoints points = points_of(figure, 1000);
  CHECK(points.in_attributes);
  CHECK(prefixes_of(points, 5, 1000).back() == 1000);
  CHECK(prefixes_of(points, 500, 1000).back() == 10);
  CHECK(curves_of(figure, {}).size() == 5);
}

TEST_CASE("every curve is tuned except AER's thirty passes and the pairwise learner") {
  for (const Figure& figure : figures())
    for (const Curve& curve : curves_of(figure, {})) {
      CAPTURE(curve.label);
      CHECK(curve.tuning.has_value() == (curve.method.passes == 1 && curve.label != "Pairwise"));
      if (curve.tuning) CHECK(curve.tuning->in_hindsight == (figure.family == Family::kPairwise));
      CHECK((curve.method.passes == 1 || curve.label == "AER 30 passes"));
    }
}

TEST_CASE("summaries are means and standard deviations by curve and prefix") {
  const std::vector<ResultRow> rows = {{"a", 1, 10, 20, 1, 0.5},
                                       {"a", 1, 20, 40, 0.5, 0.25},
                                       {"a", 2, 10, 22, 3, 0.5},
                                       {"a", 2, 20, 40, 0.5, 0.75},
                                       {"b", 1, 5, 9, 0.25, std::nan("")}};
  const auto curves = summarise(rows);
  REQUIRE(curves.size() == 2);
  REQUIRE(curves[0].points.size() == 2);
  CHECK(curves[0].points[0].mean == 2);
  CHECK(curves[0].points[0].attributes == 21);
  CHECK(curves[0].points[0].deviation == doctest::Approx(std::sqrt(2.0)));
  CHECK(curves[0].points[1].deviation == 0);
  CHECK(curves[0].points[1].classification_error == 0.5);
  CHECK(curves[1].points[0].runs == 1);
  CHECK(to_csv(curves).find("b,5,9.0,0.25,0,,1\n") != std::string::npos);
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
}

TEST_CASE("the table over pairs has the median over pairs of the mean over splits") {
  const std::vector<ResultRow> rows = {{"AER 0-1", 1, 9, 9, 0.1, 0.01},
                                       {"AER 0-1", 2, 9, 9, 0.3, 0.03},
                                       {"AER 0-2", 1, 9, 9, 0.4, 0.04},
                                       {"AER 1-2", 1, 9, 9, 0.9, 0.09}};
  CHECK(pairs_table(rows) ==
        "algorithm,median_test_loss,median_classification_error,pairs\nAER,0.4000,0.0400,3\n");
}

TEST_CASE("a reduced figure is written, and again without a run from what was kept") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  Figure figure = find_figures("ks15-1d").front();
  figure.examples = 400;
  figure.seeds = 2;
  FigureRun run;
  run.tuning.folds = 2;
  run.folder = folder.path();
  run.execution.quiet = true;
  const Status status = run_figure(files, figure, run);
  if (!status && status.error().code == ErrorCode::kUnavailable) {
    fmt::print("skipped: {}\n", status.error().message);
    return;
  }
  REQUIRE(status.has_value());
  for (const char* name :
       {"ks15-1d.csv", "ks15-1d-summary.csv", "ks15-1d-choices.csv", "ks15-1d.svg", "ks15-1d.png"})
    CHECK(std::filesystem::file_size(folder.file(name)) > 100);
  const auto first = files.read(folder.file("ks15-1d.csv")).value();
  REQUIRE(run_figure(files, figure, run).has_value());
  CHECK(files.read(folder.file("ks15-1d.csv")).value() == first);
}

}  // namespace figures_test
