#include "lab/polynomials/polynomial_figures.h"

#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>

#include "base/random.h"
#include "lab/lab_test_support.h"
#include "lab/polynomials/auc.h"
#include "lab/polynomials/parallel_polynomials.h"
#include "lab/polynomials/polynomial_run.h"

namespace glimpse::polynomial_figures_test {
namespace {

// A table called as titanic is: the label is the product of two columns' signs.
std::string table(std::size_t rows) {
  Random random(5);
  std::string text;
  for (std::size_t n = 0; n < rows; ++n) {
    const int a = static_cast<int>(random.below(2));
    const int b = static_cast<int>(random.below(2));
    text += fmt::format("{},{},{},{}\n", a == b ? 1 : -1, a, b, random.below(4));
  }
  return text;
}

ExampleText examples(std::size_t rows) {
  const auto text = parse_examples(table(rows), "t", {"#1", true});
  REQUIRE(text.has_value());
  return *text;
}

TEST_CASE("figures of a set are written, and runs that are there are not made again") {
  const TemporaryFolder folder;
  folder.write("titanic.csv", table(400));
  std::filesystem::rename(folder.file("titanic.csv"),
                          folder.file("titanic.csv.gz"));  // plain is read as well
  PolynomialStudy study;
  study.folders = {folder.path()};
  study.only = {"titanic"};
  study.seeds = 2;
  study.output = folder.file("out");
  study.execution.quiet = true;
  PosixFileSystem files;
  REQUIRE(run_polynomial_figures(files, std::vector<std::string>{"ablht-table-2"}, study).has_value());
  const auto first = files.read(folder.file("out/ablht.csv"));
  REQUIRE(first.has_value());
  REQUIRE(run_polynomial_figures(files, std::vector<std::string>{"ablht-table-2"}, study).has_value());
  CHECK(*files.read(folder.file("out/ablht.csv")) == *first);  // with the seconds of the first call
  study.only = {"titanics"};
  CHECK(run_polynomial_figures(files, std::vector<std::string>{"ablht-table-2"}, study).error().code ==
        ErrorCode::kInvalidOption);
  study.only = {"titanic"};
  study.folders = {};
  CHECK(run_polynomial_figures(files, std::vector<std::string>{"ablht-table-2"}, study).error().code ==
        ErrorCode::kNotFound);
}

TEST_CASE("a split has four fifths for training, and each example once") {
  const ExampleText text = examples(100);
  const auto split = split_examples(text, 1, SIZE_MAX);
  REQUIRE(split.has_value());
  CHECK(split->train.size() == 80);
  std::vector<bool> met(100);
  for (const RowOrder* rows : {&split->train, &split->test})
    for (const std::uint32_t row : *rows) {
      CHECK_FALSE(met[row]);
      met[row] = true;
    }
  CHECK(split->idempotent == std::vector<bool>(text.dimension(), true));
  CHECK(split_examples(text, 1, 30)->train.size() == 30);
  CHECK(split_examples(examples(9), 1, SIZE_MAX).has_error());
}

TEST_CASE("the learning rate is the one with the lowest progressive loss") {
  const ExampleText text = examples(500);
  const auto split = split_examples(text, 1, SIZE_MAX);
  const double low[] = {0.001};
  const double both[] = {0.001, 1};
  const auto one = run_polynomial({Expander::kQuad}, text, *split, true, low);
  const auto best = run_polynomial({Expander::kQuad}, text, *split, true, both);
  REQUIRE(best.has_value());
  CHECK(best->rate == 1);
  CHECK(best->progressive < one->progressive);
  CHECK(best->error == 0);
  CHECK(run_polynomial({Expander::kLin}, text, *split, true, both)->error > 0.3);
}

TEST_CASE("one learner alone is the same in a team, however many threads work") {
  const ExampleText text = examples(600);
  const auto split = split_examples(text, 1, SIZE_MAX);
  for (const char* name : {"lin", "apple-1", "bigram", "bigram+apple-0.25"}) {
    CAPTURE(name);
    ParallelOptions options;
    options.method = *parse_polynomial_method(name);
    options.passes = 1;
    const double rate[] = {options.rate};
    const auto alone = run_polynomial(options.method, text, *split, true, rate);
    const auto team = run_parallel(options, text, *split, 1);
    REQUIRE(team.has_value());
    // The mean of one weight is rounded, and pairs numbered beforehand are summed in another order: where a
    // prediction is all but 0, a sign may turn.
    CHECK(std::abs(team->error - alone->error) <= 2.0 / 120);
    options.passes = 3;
    options.learners = 4;
    const auto first = run_parallel(options, text, *split, 1);
    const auto second = run_parallel(options, text, *split, 3);
    CHECK(first->auc == second->auc);
    CHECK(first->square_error == second->square_error);
    CHECK(first->parents == second->parents);
  }
  ParallelOptions options;
  options.learners = 1000;
  CHECK(run_parallel(options, text, *split, 1).has_error());
}

TEST_CASE("learners over shards find the product together") {
  const ExampleText text = examples(4000);
  const auto split = split_examples(text, 1, SIZE_MAX);
  ParallelOptions options;
  options.method = {Expander::kApple, 1};
  options.learners = 4;
  const auto team = run_parallel(options, text, *split, 2);
  REQUIRE(team.has_value());
  CHECK(team->auc > 0.99);
  options.method = {Expander::kLin};
  CHECK(run_parallel(options, text, *split, 2)->auc < 0.6);
}

TEST_CASE("the area under the curve is the share of pairs in order, ties half") {
  const double scores[] = {0.1, 0.4, 0.4, 0.8};
  const double labels[] = {-1, -1, 1, 1};
  CHECK(area_under_curve(scores, labels) == doctest::Approx(3.5 / 4));
  const double same[] = {1, 1, 1, 1};
  CHECK(area_under_curve(same, labels) == doctest::Approx(0.5));
  const double positive[] = {1, 1, 1, 1};
  CHECK_FALSE(area_under_curve(scores, positive) == area_under_curve(scores, positive));
}

}  // namespace
}  // namespace glimpse::polynomial_figures_test
