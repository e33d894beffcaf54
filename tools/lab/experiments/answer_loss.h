#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "lab/data/dense_set.h"
#include "learn/core/learner.h"
#include "learn/gauge/attribute_reach.h"
#include "learn/gauge/label_range.h"

namespace glimpse {

/// What glimpsed --clip auto, its default, keeps answers within.
struct AnswerBounds {
  /// Bounds of one attribute's values.
  struct OfAttribute {
    AttributeReach reach;
    double mean = 0;  ///< of the values seen: what a value counts as that is missing
  };
  /// Empty: attributes are as they are, as for learners that keep no pairs.
  std::vector<OfAttribute> attributes;
  /// What the value of attribute j counts as; `attributes` is not empty.
  double answered(std::size_t j, double value) const {
    const double reached = within_reach(value, attributes[j].reach);
    return std::isnan(reached) ? attributes[j].mean : reached;
  }
  LabelRange labels;  ///< those learned from
};

/// The bounds that the daemon would have with this learner now. O(d).
AnswerBounds bounds_of(const Learner& learner);
/// The same for a model made from these rows, whole. O(rows·d).
AnswerBounds bounds_of(const DenseSet& set, std::span<const std::uint32_t> rows);

/// The loss of a model on a test set over the zero predictor's, in two forms.
struct AnswerLoss {
  double exported = 0;  ///< of the exported model's predictions, as they are
  double clipped = 0;   ///< of the daemon's answers
};

/// Predictions that are not finite make an infinite loss. O(n·d).
AnswerLoss answer_loss(const Model& model, const AnswerBounds& bounds, const DenseSet& test);

}  // namespace glimpse
