#include "learn/core/model_products.h"

#include <algorithm>
#include <utility>

namespace glimpse {

std::size_t count_products(const Model& model) {
  if (model.products.empty() || model.weights.size() < model.products.all()) return 0;
  return static_cast<std::size_t>(
      std::count_if(model.weights.begin() + static_cast<std::ptrdiff_t>(model.products.attributes()),
                    model.weights.end(), [](double weight) { return weight != 0; }));
}

Model with_plain_products(const Model& model) {
  Model plain = model;
  const ProductSlots& slots = model.products;
  const std::vector<double> c = std::exchange(plain.centres, {});
  if (c.empty()) return plain;
  const auto weight_of = [&](std::uint32_t place) -> double& { return plain.weights[slots.member(place)]; };
  for_each_product(model, [&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    const double weight = model.weights[slot];
    if (k == ProductSlots::kNone) {
      weight_of(i) -= weight * c[j];
      weight_of(j) -= weight * c[i];
      plain.bias += weight * c[i] * c[j];
      return;
    }
    plain.weights[slots.of(j, k)] -= weight * c[i];
    plain.weights[slots.of(i, k)] -= weight * c[j];
    plain.weights[slots.of(i, j)] -= weight * c[k];
    weight_of(i) += weight * c[j] * c[k];
    weight_of(j) += weight * c[i] * c[k];
    weight_of(k) += weight * c[i] * c[j];
    plain.bias -= weight * c[i] * c[j] * c[k];
  });
  return plain;
}

}  // namespace glimpse
