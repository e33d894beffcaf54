#include "learn/options/budget_limit.h"

#include <cmath>
#include <doctest/doctest.h>

#include "learn/costs_test_support.h"

namespace budget_limit_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr Money kOne = kMoneyUnit;

LearnerOptions limited(const char* algorithm, const std::vector<Money>& own, Money limit) {
  LearnerOptions options = options_of(algorithm, own.size(), 2);
  options.draws.reset();
  options.bias = true;
  options.control_variates.reset();
  options.prices = prices_of(own);
  options.budget_cost = limit;
  return options;
}

std::string refusal(const LearnerOptions& options) {
  const Status status = validate(options);
  return status ? "" : status.error().message;
}

}  // namespace

TEST_CASE("a limit of cost that an algorithm cannot keep is refused by option, value and constraint") {
  CHECK(refusal(limited("pairwise", {kOne, 2 * kOne, 9 * kOne}, 3 * kOne)) == "");
  CHECK(refusal(limited("pairwise", {kOne, 2 * kOne, 9 * kOne}, 3 * kOne - 1)) ==
        "--budget-cost 2.999999: must be at least 3, what the two cheapest attributes cost together");
  CHECK(refusal(limited("aerr", {kOne, 2 * kOne, 9 * kOne}, 4 * kOne)) == "");
  CHECK(
      refusal(limited("aerr", {kOne, 2 * kOne, 9 * kOne}, 4 * kOne - 1)) ==
      "--budget-cost 3.999999: aerr needs two attributes that cost at most half of it each, and --costs has "
      "1; must be larger");
  for (const char* algorithm : {"aer", "baseline", "online-ridge", "online-lasso", "pairwise-screened"}) {
    LearnerOptions options = limited(algorithm, {kOne, kOne, kOne}, 4 * kOne);
    options.radius = 1;
    CHECK(refusal(options) ==
          std::string("--budget-cost 4: pairwise and the budgeted gradient learners (aerr, ddaerr, "
                      "two-phase-ddaerr, aelr, ddaelr, two-phase-ddaelr) plan under a limit, ") +
              algorithm + " does not");
  }
  LearnerOptions options = limited("pairwise", {kOne, kOne, kOne}, 0);
  CHECK(refusal(options) == "--budget-cost 0: must be above 0");
  options.budget_cost = kOne;
  options.prices.reset();
  CHECK(refusal(options) == "--budget-cost 1: needs --costs FILE, what attributes cost");
  options = limited("aerr", {kOne, kOne, kOne}, 4 * kOne);
  options.draws = Draws::kPairs;
  CHECK(refusal(options).starts_with("--draws pairs: contradicts --budget-cost"));
  options.draws.reset();
  options.step = StepKind::kTheory;
  options.horizon = 100;
  CHECK(refusal(options).starts_with("--step theory: contradicts --budget-cost"));
  options.step = StepKind::kAuto;
  options.drift = Drift::kAuto;
  CHECK(refusal(options).starts_with("--drift auto: contradicts --budget-cost"));
  options = limited("pairwise", {kOne, kOne, 9 * kOne}, 9 * kOne);
  options.drift = Drift::kAuto;
  CHECK(refusal(options).starts_with("--drift auto: needs a --budget-cost that pays for"));
  options.budget_cost = 10 * kOne;
  CHECK(refusal(options) == "");
  options.prices = prices_of({1, 2});
  CHECK(refusal(options) == "--costs: prices of 2 attributes, but --dimension is 3");
}

TEST_CASE("two attributes of a group that pays once may be all that a limit buys") {
  Prices prices(3);
  const std::uint32_t blood = prices.add_group(5 * kOne);
  prices.set(0, kOne, blood);
  prices.set(1, kOne, blood);
  prices.set(2, 4 * kOne);
  LearnerOptions options = limited("pairwise", {1, 1, 1}, 7 * kOne);
  options.prices = std::make_shared<const Prices>(prices);
  CHECK(refusal(options) == "");
  options.budget_cost = 7 * kOne - 1;
  CHECK(refusal(options).starts_with("--budget-cost 6.999999: must be at least 7, "));
}

TEST_CASE("beyond the budget are attributes above the limit, for first-order learners above half of it") {
  const std::vector<Money> own{3, 5, 6, 10, 11, 0};
  CHECK(beyond_budget(limited("pairwise", own, 10)) == std::vector<Attribute>{4});
  CHECK(beyond_budget(limited("aerr", own, 10)) == std::vector<Attribute>{2, 3, 4});
  CHECK(within_budget(limited("aerr", own, 10)) == std::vector<Attribute>{0, 1, 5});
  CHECK(beyond_budget(limited("aerr", own, 11)) == std::vector<Attribute>{2, 3, 4});
  CHECK(beyond_budget(options_of("aerr", 3, 2)).empty());
}

TEST_CASE("the fingerprint tells prices, groups and limits apart") {
  const LearnerOptions a = limited("aerr", {1, 2, 3}, 10);
  CHECK(price_fingerprint(a) == price_fingerprint(limited("aerr", {1, 2, 3}, 10)));
  CHECK(price_fingerprint(a) != price_fingerprint(limited("aerr", {1, 3, 2}, 10)));
  CHECK(price_fingerprint(a) != price_fingerprint(limited("aerr", {1, 2, 3}, 11)));
  CHECK(price_fingerprint(options_of("aerr", 3, 2)) == 0);
}

}  // namespace budget_limit_test
