#include "learn/options/budget_limit.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace glimpse {

namespace {

bool is_beyond_budget(const LearnerOptions& o, Attribute i) {
  const Money alone = o.prices->alone(i);
  return (is_budgeted_first_order(o.algorithm) ? add_money(alone, alone) : alone) > *o.budget_cost;
}

// What the two attributes cost that cost least together. Of a group they may share, its two cheapest.
Money cheapest_pair(const Prices& prices) {
  constexpr Money kNone = ~Money{0};
  struct Two {
    Money first = kNone;
    Money second = kNone;
    void add(Money price) {
      if (price < first) std::swap(price, first);
      second = std::min(second, price);
    }
  };
  Two all;
  std::vector<Two> of_group(prices.groups());
  for (std::size_t i = 0; i < prices.dimension(); ++i) {
    const auto attribute = static_cast<Attribute>(i);
    all.add(prices.alone(attribute));
    if (prices.group(attribute) != Prices::kNoGroup)
      of_group[prices.group(attribute)].add(prices.own(attribute));
  }
  Money least = add_money(all.first, all.second);
  for (std::size_t g = 0; g < of_group.size(); ++g)
    least = std::min(least, add_money(add_money(of_group[g].first, of_group[g].second),
                                      prices.shared(static_cast<std::uint32_t>(g))));
  return least;
}

// Of how many draws from all that can be bought the limit has no say: the dearest fit together.
std::size_t draws_without_say(const LearnerOptions& o) {
  std::vector<Money> prices;
  for (const Attribute i : within_budget(o)) prices.push_back(o.prices->alone(i));
  std::sort(prices.begin(), prices.end(), std::greater<>());
  Money sum = 0;
  std::size_t count = 0;
  for (const Money price : prices) {
    sum = add_money(sum, price);
    if (sum > *o.budget_cost || count == o.budget) break;
    ++count;
  }
  return count;
}

}  // namespace

Status validate_budget_cost(const LearnerOptions& o) {
  if (o.prices && o.prices->dimension() != o.dimension)
    return failure(ErrorCode::kInvalidOption, "--costs: prices of {} attributes, but --dimension is {}",
                   o.prices->dimension(), o.dimension);
  if (!o.budget_cost) return {};
  const std::string text = format_money(*o.budget_cost);
  const bool first_order = is_budgeted_first_order(o.algorithm);
  if (!plans_by_price(o.algorithm))
    return invalid_option(
        "budget-cost", text,
        fmt::format("{} and the budgeted gradient learners ({}) plan under a limit, {} does not", kPairwise,
                    algorithm_names(is_budgeted_first_order), o.algorithm));
  if (!o.prices) return invalid_option("budget-cost", text, "needs --costs FILE, what attributes cost");
  if (*o.budget_cost == 0) return invalid_option("budget-cost", text, "must be above 0");
  if (*o.budget_cost > kLargestMoney)
    return invalid_option("budget-cost", text,
                          fmt::format("must be at most {}", format_money(kLargestMoney)));
  if (first_order) {
    if (o.draws == Draws::kPairs)
      return invalid_option(
          "draws", "pairs",
          "contradicts --budget-cost, within which the two parts are bought one after the other");
    if (o.step == StepKind::kTheory)
      return invalid_option(
          "step", "theory",
          "contradicts --budget-cost: the papers have no step for it; must be auto or a number");
    if (o.drift == Drift::kAuto)
      return invalid_option(
          "drift", "auto",
          "contradicts --budget-cost with the gradient learners, whose draws then depend on each "
          "other (or use pairwise)");
    if (const std::size_t count = within_budget(o).size(); count < 2)
      return invalid_option(
          "budget-cost", text,
          fmt::format("{} needs two attributes that cost at most half of it each, and --costs has "
                      "{}; must be larger",
                      o.algorithm, count));
    return {};
  }
  if (const Money least = cheapest_pair(*o.prices); least > *o.budget_cost)
    return invalid_option("budget-cost", text,
                          fmt::format("must be at least {}, what the two cheapest attributes cost together",
                                      least > kLargestMoney ? "more than can be paid" : format_money(least)));
  if (o.drift == Drift::kAuto && draws_without_say(o) < 2)
    return invalid_option(
        "drift", "auto",
        "needs a --budget-cost that pays for the two dearest attributes that it pays for alone: "
        "losses are compared by draws on which the limit has no influence");
  return {};
}

std::vector<Attribute> beyond_budget(const LearnerOptions& o) {
  std::vector<Attribute> beyond;
  if (!o.budget_cost || !o.prices) return beyond;
  for (std::size_t i = 0; i < o.prices->dimension(); ++i)
    if (is_beyond_budget(o, static_cast<Attribute>(i))) beyond.push_back(static_cast<Attribute>(i));
  return beyond;
}

std::vector<Attribute> within_budget(const LearnerOptions& o) {
  std::vector<Attribute> within;
  for (std::size_t i = 0; i < o.dimension; ++i)
    if (!o.budget_cost || !o.prices || !is_beyond_budget(o, static_cast<Attribute>(i)))
      within.push_back(static_cast<Attribute>(i));
  return within;
}

// FNV-1a over 64-bit words, the rotation so that high bits reach low ones.
std::uint64_t price_fingerprint(const LearnerOptions& o) {
  if (!o.budget_cost || !o.prices) return 0;
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x100000001b3;
    hash ^= hash >> 32;
  };
  add(*o.budget_cost);
  add(static_cast<std::uint64_t>(o.buying));
  for (std::size_t i = 0; i < o.dimension; ++i) {
    add(o.prices->own(static_cast<Attribute>(i)));
    add(o.prices->group(static_cast<Attribute>(i)));
  }
  for (std::size_t g = 0; g < o.prices->groups(); ++g) add(o.prices->shared(static_cast<std::uint32_t>(g)));
  return hash == 0 ? 1 : hash;
}

}  // namespace glimpse
