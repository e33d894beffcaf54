#include "learn/plans/plan_ahead.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "learn/costs_test_support.h"
#include "learn/factory.h"

namespace plan_ahead_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 30;

LearnerOptions options_for(const std::string& algorithm, std::size_t budget, Draws draws = Draws::kPairs,
                           Drift drift = Drift::kOff) {
  LearnerOptions options = options_of(algorithm, kDimension, budget);
  options.bias = true;
  options.drift = drift;
  const bool steps = !options.algorithm.starts_with("pairwise") && !options.algorithm.starts_with("online");
  if (draws == Draws::kPairs && steps) {
    options.draws = Draws::kPairs;
    options.control_variates = true;
  }
  if (steps) options.radius = 4;
  if (options.algorithm.starts_with("two-phase")) options.phase1_examples = 300;
  return options;
}

bool same(const std::vector<Draw>& a, const std::vector<Draw>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Draw& one, const Draw& other) {
    return one.position == other.position && one.coefficient == other.coefficient;
  });
}

// An example whose spread and sign change after 700, so that q is planned again and --drift auto forgets.
double value_of(int example, Attribute i) {
  const double x = static_cast<double>((example * 37 + static_cast<int>(i) * 101) % 19) / 19 - 0.5;
  return x * (1 + static_cast<double>(i) / 10);
}
double label_of(int example) {
  return (example < 700 ? 1 : -1) * (value_of(example, 3) + 2 * value_of(example, 7));
}

Outcome learn_one(Learner& learner, const Plan& plan, int example) {
  std::vector<double> values;
  for (const Attribute i : plan.attributes) values.push_back(value_of(example, i));
  if (example % 50 == 9) values[0] = std::nan("");  // some algorithms skip it
  return learner.learn(plan, values, label_of(example), 1);
}

}  // namespace

namespace {

struct Case {
  std::string algorithm;
  Draws draws = Draws::kPairs;
  bool drifts = true;
};

// Plans drawn ahead and learned from, beside the same drawn one at a time. How many were not the one before.
// `reach`: so far ahead, now and then.
std::size_t check_plans(const LearnerOptions& options, std::size_t budget, std::size_t reach = 0,
                        int examples = 2000) {
  std::size_t others = 0;
  std::vector<Attribute> before;
  auto ahead = make_learner(options).value();
  auto single = make_learner(options).value();
  PlanAhead plans;
  Random random(7);
  Random inner(8);
  Random plain(7);
  Random plain_inner(8);
  Plan plan;
  std::vector<Attribute> known;
  for (int n = 0; n < examples; ++n) {
    CHECK(plans.state(random) == plain.state());
    CHECK(plans.block(*ahead).used == single->plan_block().used);
    if (n % 61 == 0) {  // one that is not used
      plans.next(*ahead, random, inner);
      plans.put_back(*ahead, random, inner);
      CHECK(random.state() == plain.state());
      CHECK(inner.state() == plain_inner.state());
    }
    if (reach > 0 && n % 40 == 7) {
      CHECK(plans.reach(*ahead, random, reach + static_cast<std::size_t>(n) / 20) ==
            reach + static_cast<std::size_t>(n) / 20);
      const std::uint64_t number = plans.number(0);
      CHECK(plans.is_next(*ahead, number));
      CHECK_FALSE(plans.is_next(*ahead, number + 1));
      CHECK(plans.number(1) == number + 1);
    }
    if (plans.size() > 0 && plans.is_next(*ahead, plans.number(0))) known = plans.ahead(0).attributes;
    const Plan& next = plans.next(*ahead, random, inner);
    if (reach > 0 && !known.empty()) REQUIRE(next.attributes == known);
    known.clear();
    single->begin_plan(plain, plan);
    single->finish_plan(plain_inner, plan);
    REQUIRE(next.attributes == plan.attributes);
    if (next.attributes != before) ++others;
    before = next.attributes;
    REQUIRE(next.centres == plan.centres);
    REQUIRE(next.offset == plan.offset);
    REQUIRE(same(next.data_point, plan.data_point));
    REQUIRE(same(next.inner_product, plan.inner_product));
    REQUIRE(inner.state() == plain_inner.state());
    REQUIRE(learn_one(*ahead, next, n) == learn_one(*single, plan, n));
    if (n % 97 == 0) plans.give_back(*ahead, random);  // somebody else draws
    if (n % 97 == 0) CHECK(random.bits() == plain.bits());
  }
  CHECK(ahead->drift().alarms == single->drift().alarms);
  CHECK(ahead->describe().phase == single->describe().phase);
  if (options.drift == Drift::kAuto && options.algorithm == "pairwise" && budget == 20)
    CHECK(ahead->drift().alarms > 0);
  plans.give_back(*ahead, random);
  CHECK(random.state() == plain.state());
  return others;
}

}  // namespace

TEST_CASE("plans by the block that are drawn ahead are those that are drawn one at a time") {
  for (const std::string algorithm : {"pairwise", "pairwise-screened"}) {
    for (const std::size_t budget : {2, 5}) {
      const std::size_t reach = budget == 5 ? 30 : 0;
      CAPTURE(algorithm);
      CAPTURE(budget);
      // Chances are planned after 24,576 examples, from where on two have a plan.
      const std::size_t others = check_plans(options_for(algorithm, budget), budget, reach, 28000);
      const std::size_t blocks = 24576 + (28000 - 24576) / 2;
      CHECK(others <= blocks + 50);
      CHECK(others >= blocks * 9 / 10);
    }
  }
}

TEST_CASE("plans that are drawn ahead are those that are drawn one at a time") {
  const Case cases[] = {{"pairwise"},
                        {"pairwise-screened"},
                        {"two-phase-ddaerr", Draws::kPairs},
                        {"two-phase-ddaerr", Draws::kSeparate},
                        {"aerr"},
                        {"two-phase-ddaelr"},
                        {"aelr", Draws::kSeparate},
                        {"aer", Draws::kSeparate, false},
                        {"baseline", Draws::kSeparate, false},
                        {"online-ridge"}};
  for (const auto& [algorithm, draws, drifts] : cases) {
    for (const std::size_t budget : {2, 5, 20}) {
      for (const Drift drift : {Drift::kOff, Drift::kAuto}) {
        if (drift == Drift::kAuto && (!drifts || (draws == Draws::kSeparate && budget < 4))) continue;
        CAPTURE(algorithm);
        CAPTURE(budget);
        check_plans(options_for(algorithm, budget, draws, drift), budget);
      }
    }
  }
}

TEST_CASE("whole plans are begun as far ahead as is asked for, and are the same") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"})
    for (const std::size_t budget : {2, 5, 20})
      for (const Drift drift : {Drift::kOff, Drift::kAuto})
        check_plans(options_for(algorithm, budget, Draws::kPairs, drift), budget, 30);
}

TEST_CASE("plans that are not whole at first are not begun further ahead") {
  Random random(1);
  Random inner(2);
  PlanAhead plans;
  auto gradient = make_learner(options_for("aerr", 5)).value();
  CHECK_FALSE(begins_whole_plans(*gradient));
  CHECK(plans.reach(*gradient, random, 100) == 0);
  plans.next(*gradient, random, inner);
  CHECK(plans.reach(*gradient, random, 100) == PlanAhead::kMost);
}

TEST_CASE("a plan that was forgotten is never the next") {
  Random random(1);
  Random inner(2);
  PlanAhead plans;
  auto pairwise = make_learner(options_for("pairwise", 5)).value();
  plans.reach(*pairwise, random, 10);
  const std::uint64_t first = plans.number(0);
  plans.give_back(*pairwise, random);
  CHECK_FALSE(plans.is_next(*pairwise, first));
  plans.reach(*pairwise, random, 10);
  CHECK_FALSE(plans.is_next(*pairwise, first));
  const std::uint64_t second = plans.number(1);
  plans.next(*pairwise, random, inner);
  CHECK(plans.is_next(*pairwise, second));
  plans.put_back(*pairwise, random, inner);
  CHECK_FALSE(plans.is_next(*pairwise, second));
}

TEST_CASE("what is known of the plans ahead are their draws from q") {
  Random random(1);
  Random inner(2);
  PlanAhead plans;
  auto pairwise = make_learner(options_for("pairwise", 5)).value();
  plans.next(*pairwise, random, inner);
  CHECK(plans.size() == PlanAhead::kMost);
  CHECK(plans.last().attributes.size() == 5);
  auto gradient = make_learner(options_for("aerr", 5, Draws::kSeparate)).value();
  plans.next(*gradient, random, inner);
  CHECK(plans.size() == PlanAhead::kMost);
  CHECK(plans.last().attributes.size() == 2);
}

TEST_CASE("as many plans are begun ahead as have their cells in the nearest cache") {
  const auto depth = [](const std::string& algorithm, std::size_t budget) {
    Random random(1);
    Random inner(2);
    PlanAhead plans;
    LearnerOptions options = options_of(algorithm, 200, budget);
    const auto learner = make_learner(options).value();
    plans.next(*learner, random, inner);
    return plans.size();
  };
  for (const std::string pairs : {"pairwise", "pairwise-screened"}) {  // K(K - 1)/2 cells a plan
    CHECK(depth(pairs, 2) == PlanAhead::kMost);
    CHECK(depth(pairs, 6) == PlanAhead::kMost);
    CHECK(depth(pairs, 8) == 4);
    CHECK(depth(pairs, 20) == 1);
  }
  for (const std::string gradient : {"aerr", "two-phase-ddaerr"}) {  // K
    CHECK(depth(gradient, 2) == PlanAhead::kMost);
    CHECK(depth(gradient, 8) == PlanAhead::kMost);
    CHECK(depth(gradient, 20) == 3);
    CHECK(depth(gradient, 57) == 1);
    CHECK(depth(gradient, 150) == 1);
  }
}

TEST_CASE("plans are not begun ahead where all is revealed, nor within a limit of cost") {
  Random random(1);
  Random inner(2);
  PlanAhead plans;
  auto all = make_learner(options_for("online-ridge", 5)).value();
  plans.next(*all, random, inner);
  CHECK(plans.size() == 0);
  LearnerOptions options = options_for("aerr", 5, Draws::kSeparate);
  options.prices = prices_of(std::vector<Money>(kDimension, 1));
  options.budget_cost = 4;
  auto priced = make_learner(options).value();
  plans.next(*priced, random, inner);
  CHECK(plans.size() == 0);
}

}  // namespace plan_ahead_test
