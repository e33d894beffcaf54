#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/experiments/experiment.h"
#include "lab/studies/buying_rules.h"
#include "lab/sweeps/sweep_data.h"

namespace glimpse {

/// The pairwise learner under a limit of cost, beside the same learner with sets that a simple rule buys for
/// the same money.
struct BuyingCheck {
  std::vector<double> shares;  ///< of the price of all attributes: the limits
  double spread = 1;           ///< standard deviation of the logarithms of the prices
  std::uint64_t first_draw = 1;
  std::uint64_t draws = 10;  ///< of prices, each with an order of examples, and a split, of its own
};

/// The ways to buy: the learner's own, then the rules.
inline constexpr std::size_t kBuyers = 5;
inline constexpr std::array<const char*, kBuyers> kBuyerNames = {"planned", "uniform", "1/√price", "1/price",
                                                                 "cheapest first"};

/// A way to buy within one limit, over one draw of the prices.
struct BuyingResult {
  double loss = 0;        ///< of the exported model on the test set, over that of the mean label
  double attributes = 0;  ///< bought of an example, in the mean
  double money = 0;       ///< spent on an example, as a part of the limit
};

/// A data set and a share, over the draws.
struct BuyingCell {
  std::string set;
  double share = 0;
  std::array<std::vector<BuyingResult>, kBuyers> results;  ///< of each draw

  /// The mean over the draws.
  BuyingResult mean(std::size_t buyer) const;
  /// The rule with the lowest mean loss.
  std::size_t best_rule() const;
  /// The mean loss of `planned` over the rule's.
  double over(std::size_t rule) const { return mean(0).loss / mean(rule).loss; }
  /// Its standard error: that of the draws' differences, over the rule's mean loss. 0 of one draw.
  double error(std::size_t rule) const;
};

/// A cell for each share, after the whole training set. Draw r has the split, the order and the learner's
/// draws of seed r, and the first prices from that seed whose lowest limit buys two attributes. Errors: those
/// of make_learner(); kInvalidInput where hardly any prices do.
Result<std::vector<BuyingCell>> check_buying(const BuyingCheck& check, const std::string& name,
                                             const SweepSource& source, const Execution& execution);

}  // namespace glimpse
