#pragma once

#include <span>

#include "lab/data/dense_set.h"
#include "learn/core/learner.h"

namespace glimpse {

/// How good a model is on examples.
struct Evaluation {
  double loss_ratio = 0;  ///< mean (ŷ − y)² over mean y², the zero predictor's
  double classification_error =
      0;  ///< share of examples where ŷ has not the sign of y; NaN unless labels are ±1
};

/// What the products of a model, if it has any, add to its prediction for an example.
double products_of(const Model& model, std::span<const float> x);

/// Of the rows named. A model that is not finite has an infinite loss. O(rows·d). Predictions are not
/// clipped.
Evaluation evaluate(const Model& model, const DenseSet& set, std::span<const std::uint32_t> rows);
/// Of all rows.
Evaluation evaluate(const Model& model, const DenseSet& set);

}  // namespace glimpse
