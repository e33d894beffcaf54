#include "learn/plan_ahead.h"

#include <doctest/doctest.h>

#include "learn/learner_test_support.h"

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 30;

LearnerOptions options_for(const char* algorithm, std::size_t budget) {
  LearnerOptions options = options_of(algorithm, kDimension, budget);
  options.bias = true;
  return options;
}

// An example whose spread and sign change after 700, so that q is planned anew and --drift auto forgets.
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

TEST_CASE("plans that are drawn ahead are those that are drawn one at a time") {
  for (const char* algorithm : {"pairwise", "two-phase-ddaerr", "aerr", "online-ridge"}) {
    for (const std::size_t budget : {2, 5, 20}) {
      for (const Drift drift : {Drift::kOff, Drift::kAuto}) {
        LearnerOptions options = options_for(algorithm, budget);
        if (drift == Drift::kAuto && options.algorithm != "pairwise") continue;
        options.drift = drift;
        CAPTURE(algorithm);
        CAPTURE(budget);
        auto ahead = make_learner(options).value();
        auto single = make_learner(options).value();
        PlanAhead plans;
        Random random(7);
        Random plain(7);
        Plan plan;
        for (int n = 0; n < 2000; ++n) {
          CHECK(plans.state(random) == plain.state());
          const Plan& next = plans.next(*ahead, random);
          single->plan(plain, plan);
          REQUIRE(next.attributes == plan.attributes);
          REQUIRE(next.inner_product.size() == plan.inner_product.size());
          REQUIRE(learn_one(*ahead, next, n) == learn_one(*single, plan, n));
          if (n % 97 == 0) plans.give_back(random);  // somebody else draws
          if (n % 97 == 0) CHECK(random.bits() == plain.bits());
        }
        CHECK(ahead->drift().alarms == single->drift().alarms);
        if (drift == Drift::kAuto && budget == 20) CHECK(ahead->drift().alarms > 0);
        plans.give_back(random);
        CHECK(random.state() == plain.state());
      }
    }
  }
}

TEST_CASE("only plans that do not depend on the examples between are drawn ahead") {
  Random random(1);
  PlanAhead plans;
  auto pairwise = make_learner(options_for("pairwise", 5)).value();
  plans.next(*pairwise, random);
  CHECK(plans.size() == PlanAhead::kMost);
  auto gradient = make_learner(options_for("aerr", 5)).value();
  plans.next(*gradient, random);
  CHECK(plans.size() == 0);
}
