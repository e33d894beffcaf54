#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "learn/core/model.h"

namespace glimpse {

/// Calls visit(slot, i, j, k) for each product of a model with a weight, of the places i ≤ j ≤ k, k =
/// ProductSlots::kNone where it is of two. O(slots).
template <class Visit>
void for_each_product(const Model& model, const Visit& visit) {
  if (model.weights.size() < model.products.all()) return;
  model.products.for_each([&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    if (model.weights[slot] != 0) visit(slot, i, j, k);
  });
}

/// What the products of a model add to a prediction; value(i): of attribute i. NaN: not known, and so are its
/// products, in place of which unknown(slot) counts. O(slots).
template <class Value, class Unknown>
double sum_of_products(const Model& model, const Value& value, const Unknown& unknown) {
  double sum = 0;
  const auto factor = [&](std::uint32_t place) {
    return value(model.products.member(place)) - (model.centres.empty() ? 0 : model.centres[place]);
  };
  for_each_product(model, [&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    double product = factor(i) * factor(j);
    if (k != ProductSlots::kNone) product *= factor(k);
    sum += model.weights[slot] * (std::isnan(product) ? unknown(slot) : product);
  });
  return sum;
}

/// How many products have weights. O(slots).
std::size_t count_products(const Model& model);

/// The same model with products of the attributes themselves, as an export has them. Predictions are the same
/// up to rounding, which is larger where centres are large beside deviations. O(slots).
Model with_plain_products(const Model& model);

}  // namespace glimpse
