#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/types.h"
#include "learn/options/prices.h"

namespace glimpse {

/// Simple ways to buy attributes of an example. All but the last draw one attribute after another without
/// replacement, and pass over what no longer fits, until nothing fits.
enum class BuyingRule {
  kUniform,        ///< all alike
  kRoot,           ///< by 1/√price
  kInverse,        ///< by 1/price
  kCheapestFirst,  ///< the same set of every example: by price, as far as the money goes
};

/// Draws sets by a rule. Thread-safety: none.
class RuleBuyer {
 public:
  /// No attribute is free, and none is in a group.
  RuleBuyer(std::shared_ptr<const Prices> prices, Money limit, BuyingRule rule);

  /// A set that costs at most the limit, ascending; empty where the limit buys nothing. Valid until the next
  /// call. O(d log d).
  std::span<const Attribute> draw(Random& random);

 private:
  const std::shared_ptr<const Prices> prices_;
  const Money limit_;
  const BuyingRule rule_;
  std::vector<double> keys_;
  std::vector<Attribute> order_;
  std::vector<Attribute> set_;
};

/// d prices whose logarithms are nearly normal (nearly_normal.h), with median 1 and deviation `spread`,
/// rounded to millionths and at least one. The same seed gives the same prices.
std::shared_ptr<const Prices> log_normal_prices(std::size_t dimension, double spread, std::uint64_t seed);

/// What everything costs.
Money full_price(const Prices& prices);

}  // namespace glimpse
