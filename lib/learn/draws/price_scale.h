#pragma once

#include <limits>
#include <span>

#include "base/types.h"
#include "learn/options/prices.h"

namespace glimpse {

/// How the price of an attribute enters its chance: q_i ∝ r_i/√(c_i + κ), where r_i ∝ √M_i would be its
/// chance without prices (EXPERIMENTS.md derives it). κ = 0 where the limit of cost is what binds, ∞ where
/// the limit of K draws is, and between the two where both do. Free attributes are priced like the cheapest
/// of the others. Thread-safety: calls are const.
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
