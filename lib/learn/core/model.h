#pragma once

#include <cstdint>
#include <vector>

#include "learn/core/product_slots.h"

namespace glimpse {

/// An averaged linear model: prediction = bias + ⟨weights, x⟩ in the user's units. Of a learner with products
/// x has these behind the attributes: where `products` or Learner::products() says.
struct Model {
  std::vector<double> weights;  ///< a number of each slot: d where there are neither categories nor products
  double bias = 0;
  /// By places of `products`: products are of x_i less that of i. None: of the attributes themselves.
  std::vector<double> centres = {};
  ProductSlots products = {};
};

/// What each feature is worth to a model: its expected squared error without the feature, all others
/// refitted, less that with it. As a share of the label's variance, so that units do not matter. Of more than
/// two classes: of the indicators of all together (ClassImportances). NaN: not known. By slots (FeatureMap);
/// an attribute of categories has what all its indicators together are worth in its own.
struct Importances {
  std::vector<double> shares;  ///< d numbers; or none
  std::vector<double> errors;  ///< their standard errors
};

/// What a model was made from; see LearnerCounts.
struct ModelOrigin {
  std::uint64_t examples = 0;
  std::uint64_t attributes_revealed = 0;
  std::uint64_t labels_alone = 0;  ///< other examples, of which there was a label and no value
};

}  // namespace glimpse
