#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.h"
#include "learn/core/model.h"

namespace glimpse {

/// Where a model of `attributes` attributes has the weights of products of two of them: behind those of the
/// attributes, row by row. The products of ascending attributes ascend. i ≤ j.
constexpr std::uint32_t product_slot(std::size_t attributes, Attribute i, Attribute j) {
  return static_cast<std::uint32_t>(attributes + i * attributes - i * (i + std::size_t{1}) / 2 + j);
}

/// All slots of such a model.
constexpr std::size_t product_slots(std::size_t attributes) {
  return attributes + attributes * (attributes + 1) / 2;
}

/// What the products of a model add to a prediction; value(i): of attribute i. NaN: not known, and so are its
/// products, in place of which unknown(slot) counts. O(d²).
template <class Value, class Unknown>
double sum_of_products(const Model& model, const Value& value, const Unknown& unknown) {
  const std::size_t d = model.centres.size();
  if (model.weights.size() <= d) return 0;
  double sum = 0;
  std::size_t slot = d;
  for (std::size_t i = 0; i < d; ++i) {
    const double first = value(i) - model.centres[i];
    for (std::size_t j = i; j < d; ++j, ++slot) {
      if (model.weights[slot] == 0) continue;
      const double product = first * (value(j) - model.centres[j]);
      sum += model.weights[slot] * (std::isnan(product) ? unknown(slot) : product);
    }
  }
  return sum;
}

/// How many products have weights. O(d²).
inline std::size_t count_products(const Model& model) {
  std::size_t count = 0;
  if (!model.centres.empty())
    for (std::size_t slot = model.centres.size(); slot < model.weights.size(); ++slot)
      count += model.weights[slot] != 0 ? 1 : 0;
  return count;
}

/// The same model with products of the attributes themselves, as an export has them. Predictions are the same
/// up to rounding, which is larger where centres are large beside deviations. O(d²).
inline Model with_plain_products(Model model) {
  const std::vector<double> c = std::exchange(model.centres, {});
  std::size_t slot = c.size();
  for (std::size_t i = 0; i < c.size(); ++i)
    for (std::size_t j = i; j < c.size() && slot < model.weights.size(); ++j, ++slot) {
      const double weight = model.weights[slot];
      model.weights[i] -= weight * c[j];
      model.weights[j] -= weight * c[i];
      model.bias += weight * c[i] * c[j];
    }
  return model;
}

}  // namespace glimpse
