#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/types.h"
#include "learn/core/product_slots.h"

namespace glimpse {

/// The features of d attributes and of all products of two of the members among them, or of two and three,
/// squares and cubes among them (ProductSlots). The value of a product is (x_i − c_i)(x_j − c_j) or that
/// times x_k − c_k, c the centres.
///
/// Memory: 12 bytes a product. Thread-safety: reading is safe from any number of threads.
class ProductFeatures {
 public:
  /// What is larger counts as not known: sums hold its fourth power.
  static constexpr double kLargestProduct = 1e60;

  explicit ProductFeatures(ProductSlots slots);

  std::size_t attributes() const { return product_slots_.attributes(); }
  std::size_t slots() const { return product_slots_.all(); }
  const ProductSlots& product_slots() const { return product_slots_; }
  /// Another attribute is the member in this place.
  void replace(std::size_t place, Attribute attribute) { product_slots_.replace(place, attribute); }

  /// The places of a product's factors, ascending. REQUIRES: slot ≥ attributes().
  std::span<const std::uint32_t> factors(std::size_t slot) const {
    return std::span(factors_[slot - attributes()]).first(slot < product_slots_.of_two() ? 2 : 3);
  }
  bool has_factor(std::size_t slot, std::uint32_t place) const;

  /// The features that `attributes`, ascending, and their values give: first theirs, in their order, then the
  /// products. `members`: the members among them, and where they are in `attributes`, ascending by place.
  /// NaN: not known, and neither are its products; of a centre: the attribute has no products yet. The memory
  /// of `slots` and `out` is reused.
  struct Member {
    std::uint32_t place = 0;
    std::uint32_t at = 0;
  };
  void expand(std::span<const Attribute> attributes, std::span<const double> values,
              std::span<const Member> members, std::span<const double> centres, std::vector<Attribute>& slots,
              std::vector<double>& out) const;

 private:
  ProductSlots product_slots_;
  std::vector<std::array<std::uint32_t, 3>> factors_;  // of each product
};

}  // namespace glimpse
