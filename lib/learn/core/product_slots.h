#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"

namespace glimpse {

/// Where a model of d attributes has the weights of products of some of them, the members: behind those of
/// the attributes, first the products of two, row by row, then those of three. Squares and cubes are among
/// them. Products are of places, which are those of the members: where all attributes are members, place i is
/// that of attribute i. Products of ascending places ascend.
///
/// Thread-safety: that of a value type.
class ProductSlots {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// There are no products.
  ProductSlots() = default;
  /// Of all attributes. `degree`: the highest of a product, 2 or 3.
  ProductSlots(std::size_t attributes, std::size_t degree)
      : attributes_(attributes), places_(attributes), degree_(degree) {}
  /// Of `members`, which differ.
  ProductSlots(std::size_t attributes, std::size_t degree, std::vector<Attribute> members);

  bool empty() const { return degree_ < 2; }
  std::size_t attributes() const { return attributes_; }
  std::size_t degree() const { return degree_; }
  std::size_t places() const { return places_; }
  bool has_all_attributes() const { return members_.empty(); }
  const std::vector<Attribute>& members() const { return members_; }
  /// Of attributes and products.
  std::size_t all() const {
    return attributes_ + (degree_ > 1 ? pairs(places_) : 0) + (degree_ > 2 ? triples(places_) : 0);
  }
  /// Of attributes and products of two: where those of three begin.
  std::size_t of_two() const { return attributes_ + (degree_ > 1 ? pairs(places_) : 0); }

  Attribute member(std::size_t place) const {
    return members_.empty() ? static_cast<Attribute>(place) : members_[place];
  }
  /// kNone: it is no member. O(1), or O(log places).
  std::uint32_t place(Attribute attribute) const;
  /// Another member in this place. O(places).
  void replace(std::size_t place, Attribute attribute);

  /// The slot of a product of these places, i ≤ j.
  std::uint32_t of(std::uint32_t i, std::uint32_t j) const {
    return static_cast<std::uint32_t>(attributes_ + at(places_, i, j));
  }
  /// i ≤ j ≤ k.
  std::uint32_t of(std::uint32_t i, std::uint32_t j, std::uint32_t k) const {
    const std::size_t left = places_ - i;
    return static_cast<std::uint32_t>(of_two() + triples(places_) - triples(left) + at(left, j - i, k - i));
  }

  /// The places i ≤ j ≤ k of the factors of the product in `slot`, k = kNone where it is of two. REQUIRES:
  /// attributes() ≤ slot < all(). O(log places).
  std::array<std::uint32_t, 3> factors(std::size_t slot) const;

  /// Calls visit(slot, i, j, k) for each product, of the places i ≤ j ≤ k, k = kNone where it is of two, in
  /// the order of their slots.
  template <class Visit>
  void for_each(const Visit& visit) const {
    if (empty()) return;
    const auto places = static_cast<std::uint32_t>(places_);
    auto slot = static_cast<std::uint32_t>(attributes_);
    for (std::uint32_t i = 0; i < places; ++i)
      for (std::uint32_t j = i; j < places; ++j) visit(slot++, i, j, kNone);
    if (degree_ < 3) return;
    for (std::uint32_t i = 0; i < places; ++i)
      for (std::uint32_t j = i; j < places; ++j)
        for (std::uint32_t k = j; k < places; ++k) visit(slot++, i, j, k);
  }

  bool operator==(const ProductSlots& other) const {
    return attributes_ == other.attributes_ && places_ == other.places_ && degree_ == other.degree_ &&
           members_ == other.members_;
  }

 private:
  static std::size_t pairs(std::size_t n) { return n * (n + 1) / 2; }
  static std::size_t triples(std::size_t n) { return n * (n + 1) / 2 * (n + 2) / 3; }
  static std::size_t at(std::size_t n, std::size_t i, std::size_t j) { return i * n - i * (i + 1) / 2 + j; }
  void sort();

  std::size_t attributes_ = 0;
  std::size_t places_ = 0;
  std::size_t degree_ = 1;
  std::vector<Attribute> members_;     // by place; none: all attributes
  std::vector<std::uint32_t> sorted_;  // places by ascending members
};

}  // namespace glimpse
