#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/result.h"
#include "learn/options.h"

namespace glimpse {

/// Whether options.budget_cost is something that the algorithm can plan within. The Error (kInvalidOption)
/// names option, value and constraint as on the command line. O(d).
Status validate_budget_cost(const LearnerOptions& options);

/// The attributes that no plan within options.budget_cost ever holds, ascending: for pairwise those that cost
/// more than the limit alone; for the first-order learners more than half of it, as no product of two such
/// attributes could be bought. Empty without a limit. O(d).
std::vector<Attribute> beyond_budget(const LearnerOptions& options);

/// The others.
std::vector<Attribute> within_budget(const LearnerOptions& options);

/// A number that differs where prices, the limit or `buying` do; 0 without a limit. What was planned under
/// another is planned anew. O(d).
std::uint64_t price_fingerprint(const LearnerOptions& options);

/// How the price of an attribute enters its chance: q_i ∝ r_i/√(c_i + κ), where r_i ∝ √M_i would be its
/// chance without prices (COSTS.md derives it). κ = 0 where the limit of cost is what binds, ∞ where the
/// limit of K draws is, and between the two where both do. Free attributes are priced like the cheapest of
/// the others. Thread-safety: calls are const.
class PriceScale {
 public:
  /// A set of draws that K bounds as well: with replacement, or each attribute once at most.
  enum class Draws { kIndependent, kDistinct };

  /// κ = ∞.
  PriceScale() = default;
  /// roots[a]: r of attributes[a]. Finds κ, so that `draws` draws cost `money` on average if κ is neither 0
  /// nor ∞. O(attributes).
  PriceScale(const Prices& prices, std::span<const Attribute> attributes, std::span<const double> roots,
             double money, double draws, Draws kind);

  /// By what to multiply r: above 0, at most 1, for a price alone() in millionths.
  double operator()(Money price) const;

 private:
  double floor_ = 1;                                         // the cheapest price above 0
  double offset_ = std::numeric_limits<double>::infinity();  // κ
};

}  // namespace glimpse
