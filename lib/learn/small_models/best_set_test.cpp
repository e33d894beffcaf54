#include "learn/small_models/best_set.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "learn/options/prices.h"
#include "stats/pair_moments.h"

namespace best_set_test {

using namespace glimpse;

namespace {

constexpr std::size_t kAttributes = 6;
using Set = std::vector<Attribute>;

// The moments after `examples` that showed what `shown` says of each. y = 3x_0 + 3x_1 + x_2 + ½x_3 and noise.
PairSnapshot moments_of(int examples, const std::function<Set(int)>& shown) {
  Random random(5);
  PairMoments moments(kAttributes);
  std::vector<double> x(kAttributes);
  for (int t = 0; t < examples; ++t) {
    for (double& value : x) value = random.uniform() - 0.5;
    const double label = 3 * x[0] + 3 * x[1] + x[2] + 0.5 * x[3] + 0.2 * (random.uniform() - 0.5);
    const Set attributes = shown(t);
    std::vector<double> values;
    for (const Attribute i : attributes) values.push_back(x[i]);
    moments.add(attributes, values, label, 1);
  }
  PairSnapshot snapshot;
  snapshot.take(moments, true);
  return snapshot;
}

// All but 0 and 1 together; of these one at a time, and both in the first `both` examples.
PairSnapshot moments_with_pair(int both) {
  return moments_of(6000, [both](int t) {
    if (t < both) return Set{0, 1, 2, 3, 4, 5};
    return Set{static_cast<Attribute>(t % 2), 2, 3, 4, 5};
  });
}

Set choose(const BestSetForm& form, const PairSnapshot& moments) {
  PairwiseSolver solver;
  const auto choice = choose_best_set(form, moments, std::nullopt, solver);
  REQUIRE(choice.has_value());
  return choice->attributes;
}

BestSetForm form_of(std::size_t attributes, Set now = {}) {
  BestSetForm form;
  form.attributes = attributes;
  form.now = std::move(now);
  return form;
}

// 0 and 1 cost 6 each, the others 1. Plans cost 10 at most, and the set 20.
BestSetForm priced_form(Set now = {}) {
  auto prices = std::make_shared<Prices>(kAttributes);
  for (const Attribute i : {0U, 1U}) prices->set(i, 6 * kMoneyUnit);
  for (const Attribute i : {2U, 3U, 4U, 5U}) prices->set(i, kMoneyUnit);
  LearnerOptions options;
  options.dimension = kAttributes;
  options.budget = 2;
  options.look_at_best = 4;
  options.prices = prices;
  options.budget_cost = 10 * kMoneyUnit;
  return best_set_form(options, std::move(now));
}

}  // namespace

TEST_CASE("no two of the best are too dear for a plan together") {
  for (const int both : {0, 600}) {  // that were seen under another limit
    CAPTURE(both);
    const Set set = choose(priced_form(), moments_with_pair(both));
    CHECK(set.size() == 4);
    CHECK(std::ranges::count_if(set, [](Attribute i) { return i < 2; }) == 1);
    CHECK(std::ranges::count(set, 2U) + std::ranges::count(set, 3U) == 2);
  }
}

TEST_CASE("attributes of a group that pay once may be together") {
  BestSetForm form = priced_form();
  auto prices = std::make_shared<Prices>(*form.prices);
  const std::uint32_t blood = prices->add_group(3 * kMoneyUnit);
  for (const Attribute i : {0U, 1U}) prices->set(i, 3 * kMoneyUnit, blood);
  form.prices = prices;
  CHECK(choose(form, moments_with_pair(600)) == Set{0, 1, 2, 3});
}

TEST_CASE("what plans cannot buy together any more is given up for what they can") {
  const Set set = choose(priced_form({0, 1, 2, 3}), moments_with_pair(600));
  CHECK(std::ranges::count_if(set, [](Attribute i) { return i < 2; }) == 1);
}

TEST_CASE("the first choice waits until each of its pairs was seen 60 times") {
  CHECK(choose(form_of(3), moments_with_pair(59)).empty());
  CHECK(choose(form_of(3), moments_with_pair(61)) == Set{0, 1, 2});
}

TEST_CASE("what is not chosen says why") {
  const auto wait = [](std::size_t attributes, const PairSnapshot& moments) {
    PairwiseSolver solver;
    return choose_best_set(form_of(attributes), moments, std::nullopt, solver)->wait.sentence(attributes);
  };
  CHECK(
      wait(3, moments_with_pair(59)) ==
      "all attributes are looked at: of the best 3 the pair seen least was seen by 59 examples, and must be "
      "by 60");
  const auto some = [](int) { return Set{2, 3, 4}; };
  CHECK(wait(4, moments_of(500, some)) ==
        "all attributes are looked at: 3 can be chosen as yet, and --look-at-best wants 4");
  const auto noise = [](int) { return Set{4, 5}; };
  const std::string loss = wait(2, moments_of(500, noise));
  CHECK(loss.find("is below that of the mean by ") != std::string::npos);
  CHECK(loss.ends_with(" of its standard errors, and must be by 10"));
}

TEST_CASE("another choice takes its place when each of its pairs was seen 60 times") {
  CHECK(choose(form_of(2, {4, 5}), moments_with_pair(61)) == Set{0, 1});
  const Set set = choose(form_of(2, {4, 5}), moments_with_pair(59));  // the best of those that were
  CHECK(std::ranges::count_if(set, [](Attribute i) { return i < 2; }) == 1);
  CHECK(set.back() == 2);
}

TEST_CASE("a set may cost what an example may, and more where an example shows a part of it") {
  const auto cost_of = [](Money budget_cost, std::size_t budget, std::size_t best) {
    LearnerOptions options;
    options.algorithm = "pairwise";
    options.dimension = 1000;
    options.budget = budget;
    options.look_at_best = best;
    options.budget_cost = budget_cost;
    options.prices = std::make_shared<Prices>(options.dimension);
    return best_set_form(options, {}).cost.value();
  };
  CHECK(cost_of(6, 2, 4) == 12);
  CHECK(cost_of(6, 4, 2) == 6);
  CHECK(cost_of(kLargestMoney, 2, 2) == kLargestMoney);
  // Beyond the largest amount the limit is that one, and not what is left when 64 bits wrap.
  CHECK(cost_of(kLargestMoney, 2, 256) == kLargestMoney);
  CHECK(cost_of(kLargestMoney / 2 + 1, 2, 256) == kLargestMoney);
}

}  // namespace best_set_test
