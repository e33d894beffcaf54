#include "learn/products/placed_model.h"

#include <algorithm>
#include <utility>

namespace glimpse {

Model unplaced(const Model& placed, std::span<const Attribute> active, std::size_t dimension) {
  std::vector<Attribute> members;
  for (const Attribute place : placed.products.members()) members.push_back(active[place]);
  Model model;
  model.weights = unplaced(placed.weights, active, dimension);
  model.bias = placed.bias;
  model.centres = placed.centres;
  model.products = ProductSlots(dimension, placed.products.degree(), std::move(members));
  return model;
}

std::vector<double> unplaced(std::span<const double> values, std::span<const Attribute> active,
                             std::size_t dimension, double rest) {
  std::vector<double> result(dimension + values.size() - active.size(), rest);
  for (std::size_t s = 0; s < active.size(); ++s) result[active[s]] = values[s];
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(active.size()), values.end(),
            result.begin() + static_cast<std::ptrdiff_t>(dimension));
  return result;
}

void drop_products(Model& model) {
  model.weights.resize(model.products.attributes());
  model.products = {};
  model.centres.clear();
}

std::vector<bool> with_products(std::vector<bool> of_places, std::size_t slots) {
  of_places.resize(slots);
  return of_places;
}

}  // namespace glimpse
