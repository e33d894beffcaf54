#pragma once

#include <memory>
#include <set>
#include <vector>

#include "learn/learner_test_support.h"
#include "learn/options/prices.h"

namespace glimpse::test {

inline std::shared_ptr<const Prices> prices_of(const std::vector<Money>& own) {
  Prices prices(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) prices.set(static_cast<Attribute>(i), own[i]);
  return std::make_shared<const Prices>(std::move(prices));
}

/// Prices of several kinds: in groups or not, free or not, a few digits or many.
inline std::shared_ptr<const Prices> random_prices(std::size_t dimension, Random& random) {
  Prices prices(dimension);
  const std::uint64_t groups = random.below(4);
  for (std::uint64_t g = 0; g < groups; ++g) prices.add_group(random.below(30) * 1'000'003);
  const std::uint64_t range = std::uint64_t{1} << random.below(36);
  for (std::size_t i = 0; i < dimension; ++i) {
    const Money own = random.below(8) == 0 ? 0 : random.below(range + 1);
    const bool grouped = groups > 0 && random.below(2) == 0;
    prices.set(static_cast<Attribute>(i), own,
               grouped ? static_cast<std::uint32_t>(random.below(groups)) : Prices::kNoGroup);
  }
  return std::make_shared<const Prices>(std::move(prices));
}

/// The cost of `plan`, added up from its attributes and their groups.
inline Money cost_of(const Prices& prices, const Plan& plan) {
  Money sum = 0;
  std::set<std::uint32_t> groups;
  for (const Attribute i : plan.attributes) {
    sum += prices.own(i);
    if (prices.group(i) != Prices::kNoGroup && groups.insert(prices.group(i)).second)
      sum += prices.shared(prices.group(i));
  }
  return sum;
}

/// A random limit that lets two attributes be bought at least, for `options`; false: there is none.
inline bool set_random_limit(LearnerOptions& options, Random& random) {
  std::vector<Money> alone;
  for (std::size_t i = 0; i < options.dimension; ++i)
    alone.push_back(options.prices->alone(static_cast<Attribute>(i)));
  const Money base = 2 * alone[random.below(alone.size())] + random.below(3);
  options.budget_cost = base * (1 + random.below(8)) / (1 + random.below(2));
  return validate(options).has_value();
}

inline std::vector<Attribute> random_available(std::size_t dimension, Random& random) {
  std::vector<Attribute> available;
  const std::uint64_t one_in = 1 + random.below(4);
  for (std::size_t i = 0; i < dimension; ++i)
    if (random.below(one_in) == 0) available.push_back(static_cast<Attribute>(i));
  if (available.empty()) available.push_back(static_cast<Attribute>(random.below(dimension)));
  return available;
}

}  // namespace glimpse::test
