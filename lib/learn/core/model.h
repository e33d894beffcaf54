#pragma once

#include <cstdint>
#include <vector>

namespace glimpse {

/// An averaged linear model: prediction = bias + ⟨weights, x⟩ in the user's units. Of a learner with products
/// (Learner::products()) x has these behind the attributes.
struct Model {
  std::vector<double> weights;  ///< a number of each slot: d where there are neither categories nor products
  double bias = 0;
  /// d numbers: products are of x_i − centres[i]. None: of the attributes themselves.
  std::vector<double> centres = {};
};

/// What each feature is worth to a model: its expected squared error without the feature, all others
/// refitted, less that with it. As a share of the label's variance, so that units do not matter. NaN: not
/// known. By slots (FeatureMap); an attribute of categories has what all its indicators together are worth in
/// its own.
struct Importances {
  std::vector<double> shares;  ///< d numbers; or none
  std::vector<double> errors;  ///< their standard errors
};

/// What a model was made from; see LearnerCounts.
struct ModelOrigin {
  std::uint64_t examples = 0;
  std::uint64_t attributes_revealed = 0;
};

}  // namespace glimpse
