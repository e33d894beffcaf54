#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "learn/core/state_check.h"
#include "learn/factory.h"
#include "learn/inference/conditioning.h"
#include "learn/inference/partial_prediction.h"
#include "learn/learner_test_support.h"

namespace magnitudes_test {

// Every size of number that a double has: what is learned does not depend on it, and nothing is ever no
// number.

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 6;

LearnerOptions learner_options(const std::string& algorithm) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDimension;
  options.budget = 3;
  return options;
}

struct Sizes {
  double values;
  double labels;
};

// The mean squared error of the model on the next examples, over the labels' mean square.
double share_of_error(const Learner& learner, Source& source, const Sizes& sizes) {
  double error = 0;
  double square = 0;
  std::vector<Entry> entries(kDimension);
  for (int t = 0; t < 200; ++t) {
    const std::vector<double>& x = source.next();
    for (std::size_t i = 0; i < kDimension; ++i)
      entries[i] = {static_cast<Attribute>(i), x[i] * sizes.values};
    const double residual = learner.predict(entries) / sizes.labels - source.label();
    error += residual * residual;
    square += source.label() * source.label();
  }
  return error / square;
}

void learn_from(Learner& learner, Source& source, const Sizes& sizes, int examples) {
  Random random(1);
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    std::vector<double> x = source.next();
    for (double& value : x) value *= sizes.values;
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, x), source.label() * sizes.labels, 1);
  }
}

// Whatever a door tells of a learner.
void check_numbers(const Learner& learner, const LearnerOptions& options) {
  Model model;
  learner.model(model);
  CHECK(std::isfinite(model.bias));
  for (const double w : model.weights) CHECK(std::isfinite(w));
  for (std::size_t i = 0; i < options.dimension; ++i) {
    const SamplingRow row = learner.sampling_row(static_cast<Attribute>(i));
    CHECK(std::isfinite(row.moment.mean));
    CHECK(std::isfinite(row.moment.second));
    CHECK(row.probability > 0);
    CHECK(row.probability <= 1);
    CHECK(std::isfinite(learner.largest_value(static_cast<Attribute>(i))));
  }
  CHECK(std::isfinite(learner.describe().step_size));
  CHECK(std::isfinite(learner.progressive_loss().total().mean));
  const Conditioning* conditioning = learner.conditioning();
  const auto solution =
      conditioning != nullptr ? conditioning->newest_solution() : independent_solution(learner);
  PartialPrediction partial(solution, {0, 1});
  partial.add_known(0, learner.largest_value(0), {});
  CHECK(std::isfinite(partial.prediction()));
  CHECK(std::isfinite(partial.standard_error()));
  const auto restored = make_learner(options);
  REQUIRE(restored.has_value());
  const Status status = (*restored)->restore(saved(learner));
  const std::string why = status.has_error() ? status.error().message : "";
  INFO(why);
  CHECK(status.has_value());
}

}  // namespace

TEST_CASE("learners without a fixed unit learn the same from numbers of every size") {
  for (const char* algorithm : {"pairwise", "pairwise products", "pairwise triples", "pairwise-screened",
                                "two-phase-ddaerr", "aerr", "online-ridge", "apple"}) {
    const std::string name(algorithm);
    LearnerOptions options = learner_options(name.substr(0, name.find(' ')));
    if (name != options.algorithm) {
      options.products = name.ends_with("triples") ? 3 : 2;
      options.budget = 2 * options.products;
    }
    if (options.algorithm == "pairwise-screened") options.active = 4;
    for (const bool forgets : {false, true}) {
      if (forgets) options.half_life = 1000;
      double usual = 0;
      for (const Sizes sizes : {Sizes{1, 1},
                                {1e-300, 1},
                                {1e-200, 1},
                                {1e-162, 1e-90},
                                {1e-90, 1e-200},
                                {1e-30, 1e29},
                                {1e29, 1},
                                {1, 1e-300},
                                {1, 1e29},
                                {1e-250, 1e-40},
                                {1e-100, 1e-100}}) {
        const auto learner = make_learner(options);
        REQUIRE(learner.has_value());
        Source source(kDimension, 2);
        learn_from(**learner, source, sizes, 1500);
        const double error = share_of_error(**learner, source, sizes);
        INFO(std::string(algorithm), " ", sizes.values, " ", sizes.labels, " ", error, " ", usual, " ",
             forgets);
        if (usual == 0) usual = error;
        CHECK(usual < 0.7);
        CHECK(error < 1.1 * usual + 0.01);
        check_numbers(**learner, options);
      }
    }
  }
}

TEST_CASE("a radius is one in the user's units, whatever their size") {
  for (const char* ball : {"l2", "l1"})
    for (const double size : {1.0, 1e-90, 1e-200, 1e-300, 1e25}) {
      LearnerOptions options = learner_options("pairwise");
      options.radius = 1.0;
      options.ball = std::string(ball) == "l2" ? Ball::kL2 : Ball::kL1;
      const auto learner = make_learner(options);
      REQUIRE(learner.has_value());
      Source source(kDimension, 2);
      learn_from(**learner, source, {size, size}, 1000);
      Model model;
      (*learner)->model(model);
      double l1 = 0;
      double l2 = 0;
      for (const double w : model.weights) {
        l1 += std::abs(w);
        l2 += w * w;
      }
      INFO(std::string(ball), " ", size);
      CHECK((options.ball == Ball::kL2 ? std::sqrt(l2) : l1) == doctest::Approx(1).epsilon(0.01));
      check_numbers(**learner, options);
    }
}

TEST_CASE("no learner tells what is no number, whatever the size of what it learned from") {
  for (const Algorithm& algorithm : kAlgorithms)
    for (const double radius : {0.0, 2.0})
      for (const Sizes sizes : {Sizes{1e-320, 1},
                                {1e-308, 1e-308},
                                {1e-200, 1},
                                {1e-160, 1e-160},
                                {1e-90, 1},
                                {1e30, 1e30},
                                {1e30, 1e-320},
                                {1e-320, 1e30},
                                {0, 0},
                                {0, 1},
                                {1, 0}}) {
        LearnerOptions options = learner_options(std::string(algorithm.name));
        if (radius > 0 && finds_products(algorithm.name)) continue;  // it has no ball
        if (radius > 0 || algorithm.ball == Ball::kL1) options.radius = 2;
        if (options.algorithm == "aer") {
          options.step = StepKind::kNumber;
          options.step_number = 0.1;
        }
        const SecondMoments known = known_moments(std::vector<double>(kDimension, 0.3));
        const auto learner = make_learner(options, wants_moments(algorithm.name) ? &known : nullptr);
        REQUIRE(learner.has_value());
        Source source(kDimension, 2);
        learn_from(**learner, source, sizes, 200);
        INFO(std::string(algorithm.name), " ", radius, " ", sizes.values, " ", sizes.labels);
        if (wants_moments(algorithm.name)) continue;  // known moments come from a file at each start
        check_numbers(**learner, options);
      }
}

TEST_CASE("sizes that change by hundreds of orders of magnitude are learned from after a few values") {
  for (const char* algorithm : {"pairwise", "pairwise-screened", "two-phase-ddaerr"}) {
    const LearnerOptions options = learner_options(algorithm);
    const auto learner = make_learner(options);
    REQUIRE(learner.has_value());
    Source source(kDimension, 2);
    learn_from(**learner, source, {1e-200, 1e-100}, 100);
    check_numbers(**learner, options);
    learn_from(**learner, source, {1, 1}, 3000);
    check_numbers(**learner, options);
    INFO(std::string(algorithm));
    CHECK(share_of_error(**learner, source, {1, 1}) < 0.7);
  }
}

// Its sums fade to next to no examples, while its variance stays far beyond those of the others.
TEST_CASE("one wild value of an attribute that was constant fades, and nothing is lost with it") {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : kAlgorithms)
    if (!wants_moments(algorithm.name)) names.emplace_back(algorithm.name);
  names.insert(names.end(), {"pairwise products", "pairwise-screened products"});
  for (const std::string& name : names)
    for (const std::uint64_t half_life : {1, 3, 10, 30, 100, 300})
      for (const double wild : {9e29, 1e6, -1e-12, 1e-300}) {
        LearnerOptions options = learner_options(name.substr(0, name.find(' ')));
        if (name.ends_with("products")) {
          options.products = 2;
          options.budget = 4;
        }
        if (options.algorithm == "pairwise-screened") options.active = 8;
        options.half_life = half_life;
        auto made = make_learner(options);
        if (!made) continue;  // it does not forget
        Learner& learner = **made;
        Source source(kDimension, 5);
        Random random(1);
        Plan plan;
        State state;
        INFO(name, ", half-life ", half_life, ", ", wild);
        for (int t = 0; t < 2000; ++t) {
          std::vector<double> x = source.next();
          x[2] = t == 500 ? 3 + wild : 3;
          learner.plan(random, plan);
          learner.learn(plan, reveal(plan, x), source.label(), 1);
          if (t % 250 != 249 && t != 503) continue;
          state.begin();
          learner.save(state);
          state.finish();
          const Status status = check_state(state);
          REQUIRE_MESSAGE(status.has_value(), t, ": ", status ? "" : status.error().message);
          Model model;
          learner.model(model);
          for (const double weight : model.weights) REQUIRE(std::isfinite(weight));
        }
      }
}

}  // namespace magnitudes_test
