#include "learn/pairwise/screened_pairwise.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>

#include "learn/covariance/reselect.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace screened_pairwise_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions screened_options(std::size_t dimension, std::size_t budget, std::size_t active) {
  LearnerOptions options = options_of("pairwise-screened", dimension, budget);
  options.bias = true;
  options.active = active;
  return options;
}

/// Attributes uniform on (−1, 1); three matter, two of them correlated.
struct Sparse {
  explicit Sparse(std::size_t dimension) : x(dimension) {}
  void next() {
    for (double& value : x) value = 2 * random.uniform() - 1;
    x[11] = 0.5 * x[10] + 0.5 * x[11];
    label = 1 + x[10] + 2 * x[11] + x[20] + 0.2 * (random.uniform() - 0.5);
  }
  Random random{7};
  std::vector<double> x;
  double label = 0;
};

void learn_sparse(ScreenedPairwise& learner, Random& random, Sparse& source, int examples) {
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    source.next();
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, source.x), source.label, 1);
  }
}

}  // namespace

TEST_CASE("plans are K distinct ascending attributes, with and without active ones") {
  for (const auto& [d, k, a] : {std::tuple<std::size_t, std::size_t, std::size_t>{30, 5, 4},
                                {30, 29, 4},
                                {30, 30, 2},
                                {400, 20, 10},
                                {3, 2, 3}}) {
    ScreenedPairwise learner(screened_options(d, k, a));
    Random random(1);
    Source source(d, 2);
    Plan plan;
    for (int t = 0; t < 600; ++t) {
      const std::vector<double>& x = source.next();
      learner.plan(random, plan);
      REQUIRE(plan.attributes.size() == k);
      REQUIRE(std::is_sorted(plan.attributes.begin(), plan.attributes.end()));
      REQUIRE(std::adjacent_find(plan.attributes.begin(), plan.attributes.end()) == plan.attributes.end());
      REQUIRE(plan.attributes.back() < d);
      REQUIRE(learner.active().size() <= a);
      learner.learn(plan, reveal(plan, x), source.label(), 1);
    }
  }
}

TEST_CASE("the few attributes that matter become active, and their weights are found") {
  ScreenedPairwise learner(screened_options(2000, 20, 30));
  Random random(3);
  Sparse source(2000);
  learn_sparse(learner, random, source, 40000);
  for (const Attribute i : {10U, 11U, 20U})
    CHECK(std::binary_search(learner.active().begin(), learner.active().end(), i));
  CHECK(learner.active().size() < 10);
  Model model;
  learner.model(model);
  CHECK(model.weights[10] == doctest::Approx(1).epsilon(0.1));
  CHECK(model.weights[11] == doctest::Approx(2).epsilon(0.1));
  CHECK(model.weights[20] == doctest::Approx(1).epsilon(0.1));
  CHECK(model.bias == doctest::Approx(1).epsilon(0.05));
  // Half of the draws are theirs.
  double share = 0;
  for (const Attribute i : learner.active()) share += learner.sampling_row(i).probability;
  CHECK(share == doctest::Approx(0.5).epsilon(0.1));
  CHECK(learner.sampling_row(0).probability >= 0.1 / 2000 * 0.9);
}

TEST_CASE("where all attributes fit, all are active from the beginning") {
  ScreenedPairwise learner(screened_options(12, 4, 50));
  CHECK(learner.active().size() == 12);
  LearnerOptions options = screened_options(12, 4, 50);
  options.active.reset();
  CHECK(ScreenedPairwise(options).active().size() == 12);
}

TEST_CASE("attributes begin with empty pairs when they become active, and keep them while they stay") {
  ScreenedPairwise learner(screened_options(300, 10, 20));
  Random random(1);
  Sparse source(300);
  std::vector<Attribute> before;
  double weight = 0;  // of the pair (10, 20)
  bool both = false;
  for (int t = 0; t < 6000; ++t) {
    learn_sparse(learner, random, source, 1);
    const auto place = [&](Attribute i) {
      const auto at = std::find(learner.active().begin(), learner.active().end(), i);
      return at == learner.active().end() ? kNewSlot
                                          : static_cast<std::size_t>(at - learner.active().begin());
    };
    const bool now = place(10) != kNewSlot && place(20) != kNewSlot;
    if (now) {
      const double w = learner.moments().pair(place(10), place(20)).weight;
      if (!both) CHECK(w == 0);
      if (both) CHECK(w >= weight);
      weight = w;
    }
    both = now;
  }
  CHECK(both);
  CHECK(weight > 100);
  CHECK(learner.moments().label().weight == 6000);
}

TEST_CASE("without a signal the model is the mean, though many attributes were tried") {
  ScreenedPairwise learner(screened_options(1000, 20, 100));
  Random random(1);
  Random noise(5);
  Plan plan;
  std::vector<double> x(1000);
  for (int t = 0; t < 20000; ++t) {
    for (double& value : x) value = noise.uniform();
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, x), 2 * noise.uniform(), 1);
  }
  Model model;
  learner.model(model);
  double explained = 0;  // variance of the predictions, over that of the labels
  for (const double w : model.weights) explained += w * w / 4;
  CHECK(explained < 0.01);
}

TEST_CASE("an example with missing values is learned from by the others; one without any is not") {
  ScreenedPairwise learner(screened_options(4, 3, 4));
  Plan plan;
  plan.attributes = {0, 1, 3};
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  CHECK(learner.learn(plan, std::vector<double>{1, kMissing, 2}, 1, 1) == Outcome::kLearned);
  CHECK(learner.moments().pair(0, 3).weight == 1);
  CHECK(learner.moments().pair(0, 1).weight == 0);
  CHECK(learner.sampling_row(1).moment.count == 0);
  CHECK(learner.learn(plan, std::vector<double>{kMissing, kMissing, kMissing}, 1, 1) == Outcome::kMissing);
  CHECK(learner.learn(plan, std::vector<double>{1, 1e301, 2}, 1, 1) == Outcome::kLearned);
  CHECK(learner.moments().pair(0, 3).weight == 2);
  CHECK(learner.moments().pair(0, 1).weight == 0);
}

TEST_CASE("saved and restored in the middle it goes on to the same bits") {
  const LearnerOptions options = screened_options(300, 10, 20);
  ScreenedPairwise straight(options);
  ScreenedPairwise first(options);
  ScreenedPairwise second(options);
  Random a(1);
  Random b(1);
  Sparse source_a(300);
  Sparse source_b(300);
  learn_sparse(straight, a, source_a, 5000);
  learn_sparse(first, b, source_b, 2500);
  REQUIRE(first.active().size() > 0);
  REQUIRE(second.restore(saved(first)).has_value());
  learn_sparse(second, b, source_b, 2500);
  const State left = saved(straight);
  const State right = saved(second);
  REQUIRE(left.tensors().size() == right.tensors().size());
  for (std::size_t t = 0; t < left.tensors().size(); ++t) {
    CAPTURE(left.tensors()[t].name);
    CHECK(left.tensors()[t].bytes == right.tensors()[t].bytes);
  }
  Model model_a;
  Model model_b;
  straight.model(model_a);
  second.model(model_b);
  CHECK(model_a.weights == model_b.weights);
}

TEST_CASE("a checkpoint of another limit is refused, and so is a set of attributes that is none") {
  ScreenedPairwise learner(screened_options(100, 5, 20));
  const State state = saved(learner);
  ScreenedPairwise other(screened_options(100, 5, 21));
  CHECK(other.restore(state).error().code == ErrorCode::kMismatch);
  State broken;
  broken.begin();
  learner.save(broken);
  broken.put<std::uint32_t>("screened.active", 1)[0] = 100;
  broken.finish();
  ScreenedPairwise same(screened_options(100, 5, 20));
  CHECK(same.restore(broken).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("options out of range are refused by name") {
  LearnerOptions options = screened_options(100'000, 20, 8190);
  CHECK(make_learner(options).error().message ==
        "--active 8190: must be from 2 to 8189, or --pair-memory larger");
  options.active = 1;
  CHECK(make_learner(options).error().message ==
        "--active 1: must be from 2 to 8189, or --pair-memory larger");
  options.active.reset();
  CHECK(make_learner(options).has_value());
  CHECK(active_limit(options) == 2048);
  options.pair_memory = 10000;
  CHECK(active_limit(options) == 22);
  options.pair_memory = 100;
  CHECK(make_learner(options).error().message ==
        "--pair-memory 100: must be at least 240, for two attributes");
  options = options_of("pairwise", 10, 5);
  options.active = 5;
  CHECK(make_learner(options).error().message == "--active 5: is for pairwise-screened only");
}

}  // namespace screened_pairwise_test
