#include "lab/cross_validation.h"

#include <doctest/doctest.h>

#include "lab/offline_ridge.h"
#include "lab/offline_test_support.h"

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

TEST_CASE("too few rows, or no choice that is finite, is an error") {
  const DenseSet set = correlated_set(20, 12, 0, 4);
  CHECK_FALSE(cross_validate(named("aerr"), {}, set, natural_order(1), 1, 1).has_value());
}
