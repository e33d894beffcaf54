#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.h"
#include "learn/core/model.h"

namespace glimpse {

/// Where a model of d attributes has the weights of their products: behind those of the attributes, first the
/// products of two, row by row, then those of three. Squares and cubes are among them. Products of ascending
/// factors ascend.
class ProductSlots {
 public:
  /// `degree`: 1 (no products), 2 or 3.
  constexpr ProductSlots(std::size_t attributes, std::size_t degree)
      : attributes_(attributes), degree_(degree) {}
  /// Those of a model; of one without centres there are no products.
  explicit ProductSlots(const Model& model)
      : ProductSlots(model.centres.size(),
                     model.weights.size() <= model.centres.size()                          ? 1
                     : model.weights.size() == ProductSlots(model.centres.size(), 2).all() ? 2
                                                                                           : 3) {}

  constexpr std::size_t attributes() const { return attributes_; }
  constexpr std::size_t degree() const { return degree_; }
  /// Of attributes and products.
  constexpr std::size_t all() const {
    return attributes_ + (degree_ > 1 ? pairs(attributes_) : 0) + (degree_ > 2 ? triples(attributes_) : 0);
  }
  /// i ≤ j.
  constexpr std::uint32_t of(Attribute i, Attribute j) const {
    return static_cast<std::uint32_t>(attributes_ + at(attributes_, i, j));
  }
  /// i ≤ j ≤ k.
  constexpr std::uint32_t of(Attribute i, Attribute j, Attribute k) const {
    const std::size_t left = attributes_ - i;
    return static_cast<std::uint32_t>(attributes_ + pairs(attributes_) + triples(attributes_) -
                                      triples(left) + at(left, j - i, k - i));
  }

 private:
  static constexpr std::size_t pairs(std::size_t n) { return n * (n + 1) / 2; }
  static constexpr std::size_t triples(std::size_t n) { return n * (n + 1) / 2 * (n + 2) / 3; }
  static constexpr std::size_t at(std::size_t n, std::size_t i, std::size_t j) {
    return i * n - i * (i + 1) / 2 + j;
  }

  std::size_t attributes_;
  std::size_t degree_;
};

/// Calls visit(slot, i, j, k) for each product with a weight, i ≤ j ≤ k, k = kNoAttribute where it is of two.
/// O(slots).
inline constexpr Attribute kNoAttribute = ~Attribute{0};
template <class Visit>
void for_each_product(const Model& model, const Visit& visit) {
  const ProductSlots slots(model);
  const auto d = static_cast<Attribute>(slots.attributes());
  if (slots.degree() < 2) return;
  std::uint32_t slot = d;
  for (Attribute i = 0; i < d; ++i)
    for (Attribute j = i; j < d; ++j, ++slot)
      if (model.weights[slot] != 0) visit(slot, i, j, kNoAttribute);
  if (slots.degree() < 3) return;
  for (Attribute i = 0; i < d; ++i)
    for (Attribute j = i; j < d; ++j)
      for (Attribute k = j; k < d; ++k, ++slot)
        if (model.weights[slot] != 0) visit(slot, i, j, k);
}

/// What the products of a model add to a prediction; value(i): of attribute i. NaN: not known, and so are its
/// products, in place of which unknown(slot) counts. O(slots).
template <class Value, class Unknown>
double sum_of_products(const Model& model, const Value& value, const Unknown& unknown) {
  double sum = 0;
  for_each_product(model, [&](std::uint32_t slot, Attribute i, Attribute j, Attribute k) {
    double product = (value(i) - model.centres[i]) * (value(j) - model.centres[j]);
    if (k != kNoAttribute) product *= value(k) - model.centres[k];
    sum += model.weights[slot] * (std::isnan(product) ? unknown(slot) : product);
  });
  return sum;
}

/// How many products have weights. O(slots).
inline std::size_t count_products(const Model& model) {
  if (model.centres.empty()) return 0;
  return static_cast<std::size_t>(
      std::count_if(model.weights.begin() + static_cast<std::ptrdiff_t>(model.centres.size()),
                    model.weights.end(), [](double weight) { return weight != 0; }));
}

/// The same model with products of the attributes themselves, as an export has them. Predictions are the same
/// up to rounding, which is larger where centres are large beside deviations. O(slots).
inline Model with_plain_products(const Model& model) {
  Model plain = model;
  const ProductSlots slots(model);
  const std::vector<double> c = std::exchange(plain.centres, {});
  for_each_product(model, [&](std::uint32_t slot, Attribute i, Attribute j, Attribute k) {
    const double weight = model.weights[slot];
    if (k == kNoAttribute) {
      plain.weights[i] -= weight * c[j];
      plain.weights[j] -= weight * c[i];
      plain.bias += weight * c[i] * c[j];
      return;
    }
    plain.weights[slots.of(j, k)] -= weight * c[i];
    plain.weights[slots.of(i, k)] -= weight * c[j];
    plain.weights[slots.of(i, j)] -= weight * c[k];
    plain.weights[i] += weight * c[j] * c[k];
    plain.weights[j] += weight * c[i] * c[k];
    plain.weights[k] += weight * c[i] * c[j];
    plain.bias -= weight * c[i] * c[j] * c[k];
  });
  return plain;
}

}  // namespace glimpse
