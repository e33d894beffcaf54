#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learn/core/model.h"

namespace glimpse {

/// A model of attributes and products by place in `active`, ascending, as one of all `dimension` attributes,
/// the others of weight 0: products have the same places, behind the attributes.
Model unplaced(const Model& placed, std::span<const Attribute> active, std::size_t dimension);

/// `values`, one of each slot of such a model, in the slots of the other; `rest` of other attributes.
std::vector<double> unplaced(std::span<const double> values, std::span<const Attribute> active,
                             std::size_t dimension, double rest = 0);

/// `model` becomes one of the attributes alone.
void drop_products(Model& model);

/// What holds of attributes, for all slots: false of products.
std::vector<bool> with_products(std::vector<bool> of_places, std::size_t slots);

}  // namespace glimpse
