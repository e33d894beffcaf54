#include "lab/experiments/cross_validation.h"

#include <doctest/doctest.h>

#include "lab/experiments/evaluation.h"
#include "lab/lab_test_support.h"
#include "lab/offline/offline_ridge.h"
#include "lab/offline/offline_test_support.h"

namespace cross_validation_test {

using namespace glimpse;

namespace {

Method named(const char* algorithm) {
  Method method;
  method.learner.algorithm = algorithm;
  method.learner.budget = 4;
  return method;
}

}  // namespace

TEST_CASE("offline: the radius with the smallest mean held-out loss, computed the long way") {
  const DenseSet set = correlated_set(40, 12, 0, 4);
  const RowOrder rows = natural_order(40);
  TuningOptions options;
  options.folds = 4;
  options.radii = {0.1, 0.5, 1, 2, 4};
  double best_loss = 1e300;
  double best_radius = 0;
  for (const double radius : options.radii) {
    double loss = 0;
    for (std::size_t f = 0; f < 4; ++f) {
      RowOrder train;
      RowOrder held_out;
      for (const std::uint32_t i : rows) (i % 4 == f ? held_out : train).push_back(i);
      const Eigen::VectorXd w = OfflineRidge(normal_equations(set, train, false)).solve(radius);
      const NormalEquations part = normal_equations(set, held_out, false);
      loss += 2 * objective(part, w) / part.c / 4;
    }
    if (loss < best_loss) {
      best_loss = loss;
      best_radius = radius;
    }
  }
  const Tuned tuned = cross_validate(named("offline-ridge"), options, set, rows, 1, 1).value();
  CHECK(tuned.radius == best_radius);
  CHECK(tuned.loss_ratio == doctest::Approx(best_loss));
  CHECK(tuned.step.empty());
}

TEST_CASE("every pair of given grids is tried, on the rows given only, whatever the number of threads") {
  const DenseSet set = correlated_set(200, 12, 0, 4);
  TuningOptions options;
  options.folds = 5;
  options.radii = {0.001, 2};
  options.steps = {1e-6, 0.05, 1e6};
  const RowOrder rows = natural_order(150);
  const Tuned tuned = cross_validate(named("aerr"), options, set, rows, 1, 1).value();
  CHECK(tuned.radius == 2);
  CHECK(tuned.step == "0.05");
  CHECK(cross_validate(named("aerr"), options, set, rows, 1, 3).value() == tuned);

  options.repeats = 4;
  const Tuned repeated = cross_validate(named("aerr"), options, set, rows, 1, 2).value();
  CHECK(repeated.step == tuned.step);
  CHECK(repeated.loss_ratio != tuned.loss_ratio);
  options.repeats = 1;

  DenseSet other = set;
  for (std::size_t i = 150; i < 200; ++i) other.labels[i] = 1e9;
  CHECK(cross_validate(named("aerr"), options, other, rows, 1, 1).value() == tuned);
}

TEST_CASE("without grids it searches powers of two, beyond the coarse grid's edges where that is better") {
  DenseSet set = correlated_set(300, 12, 0, 4);
  for (float& x : set.values) x *= 1e-3F;  // so that B must be about 2,000 and the step about 50,000
  const Tuned tuned = cross_validate(named("online-ridge"),
                                     {.folds = 3, .repeats = 1, .radii = {}, .steps = {}, .step_prefix = {}},
                                     set, natural_order(300), 1, 2)
                          .value();
  CHECK(*tuned.radius > 128);
  CHECK(tuned.loss_ratio < 0.7);
}

TEST_CASE("two phases get a choice each: the first that of the uniform algorithm on its part of the rows") {
  const DenseSet set = correlated_set(400, 12, 0, 4);
  const RowOrder rows = natural_order(400);
  TuningOptions options;
  options.folds = 4;
  options.radii = {0.01, 1, 4};
  options.steps = {0.01, 0.05, 0.2};
  Method method = named("two-phase-ddaerr");
  const Tuned tuned = cross_validate(method, options, set, rows, 1, 2).value();
  const Tuned first = cross_validate(named("aerr"), options, set, std::span(rows).first(40), 1, 1).value();
  CHECK(tuned.phase1_radius == first.radius);
  CHECK(fmt::format("{}", tuned.phase1_step.value()) == first.step);

  method.learner.phase1_radius = first.radius;
  method.learner.phase1_step = tuned.phase1_step;
  CHECK(cross_validate(method, options, set, rows, 1, 1).value() == tuned);
  const Method chosen = with_choice(named("two-phase-ddaerr"), tuned).value();
  CHECK(chosen.learner.phase1_radius == first.radius);
  CHECK(chosen.learner.phase1_step == tuned.phase1_step);
  CHECK(chosen.learner.radius == tuned.radius);

  Method on_the_fly = named("two-phase-ddaerr");
  on_the_fly.learner.phase1_fraction.reset();
  CHECK_FALSE(cross_validate(on_the_fly, options, set, rows, 1, 1).value().phase1_radius.has_value());
}

TEST_CASE("a count of examples as phase 1 is one for the folds of the whole, not of its own rows") {
  const DenseSet set = correlated_set(400, 12, 0, 4);
  const RowOrder rows = natural_order(400);
  TuningOptions options;
  options.folds = 4;
  options.radii = {1, 4};
  options.steps = {0.05, 0.2};
  Method method = named("two-phase-ddaerr");
  method.learner.phase1_fraction.reset();
  method.learner.phase1_examples = 40;
  const Tuned tuned = cross_validate(method, options, set, rows, 1, 2).value();
  const Tuned first = cross_validate(named("aerr"), options, set, std::span(rows).first(40), 1, 1).value();
  CHECK(tuned.phase1_radius == first.radius);
  CHECK(fmt::format("{}", tuned.phase1_step.value()) == first.step);

  method.learner.phase1_examples = 300;
  CHECK(cross_validate(method, options, set, rows, 1, 1).error().message ==
        "--phase1 300: must be below 300, the number of examples that a fold of --cv 4 learns from");
}

TEST_CASE("moments that are known beforehand are those of the rows that a fold learns from") {
  DenseSet set = correlated_set(90, 12, 0, 4);
  // Rows whose attributes are large in one fold each: moments of all rows would be others.
  for (std::size_t i = 0; i < 30; ++i) set.row(i)[i % 3] *= 40;
  TuningOptions options;
  options.folds = 3;
  options.radii = {2};
  options.steps = {0.01};
  for (const char* algorithm : {"ddaerr", "ddaelr"}) {
    CAPTURE(algorithm);
    const Tuned tuned = cross_validate(named(algorithm), options, set, natural_order(90), 1, 1).value();
    double loss = 0;
    for (std::size_t f = 0; f < 3; ++f) {
      RowOrder train;
      RowOrder held_out;
      for (const std::uint32_t i : natural_order(90)) (i % 3 == f ? held_out : train).push_back(i);
      const Method method = with_choice(named(algorithm), {2, "0.01", {}, {}, 0}).value();
      const std::size_t all = train.size();
      const Status status = run_method(
          method, select_rows(set, train), natural_order(all), std::span(&all, 1), Random(1 + f).bits(),
          [&](const Snapshot& s) { loss += evaluate(s.model, set, held_out).loss_ratio / 3; });
      REQUIRE(status.has_value());
    }
    CHECK(tuned.loss_ratio == doctest::Approx(loss).epsilon(1e-12));
  }
}

// Values near the largest that are learned from make every step of any size leave the range of numbers, and
// the model stays where it began: better, on the held-out rows, than one that learned badly.
TEST_CASE("a candidate most of whose examples diverged is worse than any other") {
  DenseSet set = correlated_set(60, 12, 0, 4);
  TuningOptions options;
  options.folds = 3;
  options.radii = {1e6};
  options.steps = {1e-3, 1e300};
  for (float& x : set.values) x *= 1e5F;
  for (double& y : set.labels) y *= 1e5;
  const Tuned tuned = cross_validate(named("aerr"), options, set, natural_order(60), 1, 1).value();
  CHECK(tuned.step == "0.001");
  CHECK(tuned.loss_ratio > 1);
  options.steps = {1e300};
  CHECK(cross_validate(named("aerr"), options, set, natural_order(60), 1, 1).error().message ==
        "--cv 3: every choice of radius and step diverges");
}

TEST_CASE("what is kept of candidates is not computed again, and is counted as such") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  const JobStore store = JobStore::open(files, folder.path()).value();
  const DenseSet set = correlated_set(200, 12, 0, 4);
  const RowOrder rows = natural_order(200);
  TuningOptions grid;
  grid.folds = 4;
  grid.radii = {1, 2};
  grid.steps = {0.01, 0.05, 0.2};
  TuningOptions search = grid;
  search.radii.clear();
  search.steps.clear();
  struct {
    const char* algorithm;
    const TuningOptions* options;
    std::size_t runs;  // of the coarse grid
  } const cases[] = {{"aerr", &grid, 6 * 4},
                     {"two-phase-ddaerr", &grid, 2 * 6 * 4},
                     {"online-ridge", &search, 5 * 10 * 4},
                     {"offline-ridge", &grid, 4}};
  for (const auto& [algorithm, options, runs] : cases) {
    CAPTURE(algorithm);
    const Method method = named(algorithm);
    CHECK(coarse_runs(method, *options, rows.size()) == runs);
    CandidateStore first(store, "candidate", algorithm);
    Progress once("cross-validating", runs, true);
    const Tuned tuned = cross_validate(method, *options, set, rows, 1, 2, {&once, &first}).value();
    CHECK(once.computed() >= runs);
    CHECK(once.line(0).starts_with(fmt::format("cross-validating: {0} of {0} done", once.computed())));

    CandidateStore second(store, "candidate", algorithm);
    Progress twice("cross-validating", runs, true);
    CHECK(cross_validate(method, *options, set, rows, 1, 2, {&twice, &second}).value() == tuned);
    CHECK(twice.computed() == 0);
    CHECK(twice.line(0) == fmt::format("cross-validating: {0} of {0} done", once.computed()));
    REQUIRE(second.clear().has_value());
    CHECK(std::filesystem::is_empty(folder.path()));
  }
}

TEST_CASE("too few rows, or no choice that is finite, is an error") {
  const DenseSet set = correlated_set(20, 12, 0, 4);
  CHECK_FALSE(cross_validate(named("aerr"), {}, set, natural_order(1), 1, 1).has_value());
}

}  // namespace cross_validation_test
