#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/types.h"
#include "learn/core/monomials.h"
#include "learn/core/product_slots.h"

namespace glimpse {

/// The features of d attributes and of all products of two of them, squares among them. Slot i < d is
/// attribute i, and products are behind (product_slots.h). The value of a product is (x_i − c_i)(x_j − c_j),
/// c the centres.
///
/// Memory: about 60 bytes a product. Thread-safety: immutable once made.
class ProductFeatures {
 public:
  /// What is larger counts as not known: sums hold its fourth power.
  static constexpr double kLargestProduct = 1e60;

  explicit ProductFeatures(std::size_t attributes);

  std::size_t attributes() const { return monomials_.attributes(); }
  std::size_t slots() const { return monomials_.slots(); }
  const Monomials& monomials() const { return monomials_; }
  /// i ≤ j.
  std::uint32_t slot(Attribute i, Attribute j) const { return product_slot(attributes(), i, j); }
  /// Of a product, ascending; of an attribute itself, twice.
  std::pair<Attribute, Attribute> factors(std::size_t slot) const {
    const auto product = static_cast<std::uint32_t>(slot);
    const auto factors = monomials_.factors(product);
    return {factors.front(), factors.back()};
  }
  bool has_factor(std::size_t slot, Attribute i) const {
    const auto [first, second] = factors(slot);
    return first == i || second == i;
  }

  /// The features that `attributes`, ascending, and their values give, in the order of their slots. NaN: not
  /// known, and neither are its products; of a centre: the attribute has no products yet. The memory of
  /// `slots` and `out` is reused.
  void expand(std::span<const Attribute> attributes, std::span<const double> values,
              std::span<const double> centres, std::vector<Attribute>& slots, std::vector<double>& out) const;

 private:
  Monomials monomials_;
};

}  // namespace glimpse
