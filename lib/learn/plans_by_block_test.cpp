#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "learn/factory.h"
#include "learn/learner_test_support.h"
#include "learn/plans/plan_ahead.h"
#include "learn/plans/plan_random.h"

// Learners that give several examples one plan (draws/plan_blocks.h).

namespace plans_by_block_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 16;
constexpr int kTwo = 24'576;   // from here on two examples have a plan
constexpr int kFour = 49'152;  // and four

LearnerOptions options_for(const std::string& algorithm) {
  LearnerOptions options = options_of(algorithm, kDimension, 5);
  options.bias = true;
  return options;
}

struct Case {
  std::string name;
  LearnerOptions options;
  bool holds_classes = false;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::string algorithm : {"pairwise", "pairwise-screened"}) {
    cases.push_back({algorithm, options_for(algorithm)});
    Case labels{algorithm + ", two labels", options_for(algorithm)};
    labels.options.labels = {"a", "b"};
    cases.push_back(labels);
    cases.push_back({algorithm + ", three classes", options_for(algorithm), true});
    Case half_life{algorithm + ", half-life", options_for(algorithm)};
    half_life.options.half_life = 40'000;  // 57,708 remembered: four examples at most
    cases.push_back(half_life);
  }
  Case best{"pairwise, looks at the best", options_for("pairwise")};
  best.options.look_at_best = 3;
  cases.push_back(best);
  return cases;
}

std::vector<double> example(Random& random) {
  std::vector<double> x;
  for (std::size_t i = 0; i < kDimension; ++i) x.push_back(random.uniform() - 0.5);
  return x;
}

double label_of(const std::vector<double>& x) { return x[3] - 2 * x[7] + x[1]; }

// A learner with the plans that are drawn for it ahead, as the daemon has them.
struct Stream {
  explicit Stream(const LearnerOptions& options, bool holds_classes = false)
      : learner(make_learner(options).value()) {
    if (holds_classes) learner->make_classifier();
  }

  const Plan& learn_one() {
    const Plan& plan = plans.next(*learner, outer, inner);
    const std::vector<double> x = example(examples);
    const double label = label_of(x);
    std::vector<double> labels{label};
    if (learner->label_count() > 1) labels.push_back(x[2] - label);
    if (learner->is_classifier()) labels[0] = label > 0.5 ? 2 : label > -0.5 ? 1 : 0;
    REQUIRE(learner->learn(plan, reveal(plan, x), labels, 1) == Outcome::kLearned);
    return plan;
  }
  State save() const {
    State state;
    state.begin();
    learner->save(state);
    save_plan_random(state, plans, *learner, outer, inner);
    state.finish();
    return state;
  }
  void restore(const State& state, const Stream& of) {
    REQUIRE(learner->restore(state).has_value());
    const auto random = restore_plan_random(state);
    REQUIRE(random.has_value());
    outer = random->outer;
    inner = random->inner;
    learner->set_plan_block(random->block);
    examples = of.examples;
  }

  std::unique_ptr<Learner> learner;
  PlanAhead plans;
  Random outer{1};
  Random inner{2};
  Random examples{3};
};

void check_same(const State& a, const State& b) {
  CHECK(a.tensors().size() == b.tensors().size());
  for (const Tensor& tensor : a.tensors()) {
    CAPTURE(tensor.name);
    REQUIRE(b.find(tensor.name) != nullptr);
    CHECK(tensor.bytes == b.find(tensor.name)->bytes);
  }
}

// How often attributes and pairs of them are shown by `plans` plans of the learner as it is.
struct Shown {
  Shown(Learner& learner, Random& random, int plans, bool own) : pairs(kDimension * kDimension) {
    Plan plan;
    for (int n = 0; n < plans; ++n) {
      if (own) learner.set_plan_block({});
      learner.plan(random, plan);
      for (const Attribute i : plan.attributes)
        for (const Attribute j : plan.attributes) ++pairs[kDimension * i + j];
    }
    for (double& count : pairs) count /= plans;
  }
  std::vector<double> pairs;  // shares of the plans; an attribute with itself: that it is shown
};

}  // namespace

TEST_CASE("plans by the block: killed at any place of a block, a learner goes on to the same bits") {
  for (const Case& one : all_cases()) {
    CAPTURE(one.name);
    Stream whole(one.options, one.holds_classes);
    for (int n = 0; n < kFour + 100; ++n) whole.learn_one();
    std::size_t amid = 0;
    for (int place = 0; place < 8; ++place) {
      CAPTURE(place);
      Stream resumed(one.options, one.holds_classes);
      const State state = whole.save();
      if (state.find("random.block") != nullptr) ++amid;
      resumed.restore(state, whole);
      for (int n = 0; n < 11; ++n) {
        const std::vector<Attribute> expected = whole.learn_one().attributes;
        REQUIRE(resumed.learn_one().attributes == expected);
      }
      check_same(whole.save(), resumed.save());
    }
    CHECK(amid >= 4);
  }
}

TEST_CASE("plans by the block: a checkpoint of an earlier build, which knows no blocks, begins one") {
  const LearnerOptions options = options_for("pairwise");
  Stream whole(options);
  for (int n = 0; n < kTwo + 10; ++n) whole.learn_one();
  State state;
  state.begin();
  whole.learner->save(state);
  state.put_copy<std::uint64_t>("random", whole.outer.state());
  state.put_copy<std::uint64_t>("random.inner", whole.inner.state());
  state.finish();
  Stream resumed(options);
  resumed.restore(state, whole);
  const std::vector<Attribute> first = resumed.learn_one().attributes;
  CHECK(resumed.learn_one().attributes == first);
}

TEST_CASE("plans by the block: answers may come in any order, and some never") {
  auto learner = make_learner(options_for("pairwise")).value();
  Random random(1);
  Random examples(3);
  std::vector<Plan> open;
  std::size_t others = 0;
  for (int n = 0; n < 2 * kFour; ++n) {
    Plan plan;
    learner->plan(random, plan);
    if (!open.empty() && plan.attributes != open.back().attributes) ++others;
    open.push_back(plan);
    if (open.size() < 40) continue;
    const std::size_t at = examples.below(open.size());
    const std::vector<double> x = example(examples);
    if (examples.below(10) > 0) learner->learn(open[at], reveal(open[at], x), label_of(x), 1);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
  }
  CHECK(others < kFour + kFour / 5);
  Model model;
  learner->model(model);
  CHECK(model.weights[3] == doctest::Approx(1).epsilon(0.02));
  CHECK(model.weights[7] == doctest::Approx(-2).epsilon(0.02));
  CHECK(model.weights[2] == doctest::Approx(0).epsilon(0.02));
}

TEST_CASE(
    "plans by the block: a plan among available attributes is its own, and the block goes on behind it") {
  for (const std::string algorithm : {"pairwise", "pairwise-screened"}) {
    CAPTURE(algorithm);
    Stream stream(options_for(algorithm));
    for (int n = 0; n < kTwo + 10; ++n) stream.learn_one();
    stream.plans.give_back(*stream.learner, stream.outer);
    if (stream.learner->plan_block().is_open()) stream.learn_one();
    const std::vector<Attribute> first = stream.learn_one().attributes;
    stream.plans.give_back(*stream.learner, stream.outer);
    const std::vector<Attribute> available{0, 2, 4, 6, 8, 10};
    Plan plan;
    REQUIRE(stream.learner->plan_among(stream.outer, available, plan).has_value());
    CHECK(plan.attributes != first);
    CHECK(stream.learn_one().attributes == first);
  }
}

// The examples of a block have each the chances of a plan of their own, but a block is one draw.
TEST_CASE("plans by the block: attributes and pairs are shown as often as by plans of their own") {
  for (const std::string algorithm : {"pairwise", "pairwise-screened"}) {
    CAPTURE(algorithm);
    Stream stream(options_for(algorithm));
    for (int n = 0; n < kFour; ++n) stream.learn_one();
    stream.plans.give_back(*stream.learner, stream.outer);
    const int plans = draws_for_means(400'000);
    const Shown own(*stream.learner, stream.outer, plans, true);
    const Shown shared(*stream.learner, stream.outer, plans, false);
    CHECK(stream.learner->plan_block().size == 4);
    for (std::size_t p = 0; p < own.pairs.size(); ++p) {
      const double variance = own.pairs[p] * (1 - own.pairs[p]) * (1 + 4) / plans;
      CHECK(std::abs(own.pairs[p] - shared.pairs[p]) < 5 * std::sqrt(variance));
    }
  }
}

}  // namespace plans_by_block_test
