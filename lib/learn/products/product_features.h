#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "learn/core/monomials.h"
#include "learn/core/product_slots.h"

namespace glimpse {

/// The features of d attributes and of all products of two of them, or of two and three, squares and cubes
/// among them. Slot i < d is attribute i, and products are behind (product_slots.h). The value of a product
/// is (x_i − c_i)(x_j − c_j) or that times x_k − c_k, c the centres.
///
/// Memory: about 60 bytes a product. Thread-safety: immutable once made.
class ProductFeatures {
 public:
  /// What is larger counts as not known: sums hold its fourth power.
  static constexpr double kLargestProduct = 1e60;

  /// `degree`: the highest of a product, 2 or 3.
  explicit ProductFeatures(std::size_t attributes, std::size_t degree = 2);

  std::size_t attributes() const { return monomials_.attributes(); }
  std::size_t slots() const { return monomials_.slots(); }
  const Monomials& monomials() const { return monomials_; }
  const ProductSlots& product_slots() const { return product_slots_; }
  /// Of a product, ascending; of an attribute itself, that one.
  std::span<const Attribute> factors(const std::uint32_t& slot) const { return monomials_.factors(slot); }
  std::span<const Attribute> factors(std::uint32_t&& slot) const = delete;  // it would be gone
  bool has_factor(std::uint32_t slot, Attribute i) const {
    return std::ranges::find(factors(slot), i) != factors(slot).end();
  }

  /// The features that `attributes`, ascending, and their values give, in the order of their slots. NaN: not
  /// known, and neither are its products; of a centre: the attribute has no products yet. The memory of
  /// `slots` and `out` is reused.
  void expand(std::span<const Attribute> attributes, std::span<const double> values,
              std::span<const double> centres, std::vector<Attribute>& slots, std::vector<double>& out) const;

 private:
  ProductSlots product_slots_;
  Monomials monomials_;
};

}  // namespace glimpse
