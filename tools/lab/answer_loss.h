#pragma once

#include <span>
#include <vector>

#include "lab/dense_set.h"
#include "learn/label_range.h"
#include "learn/learner.h"

namespace glimpse {

/// What glimpsed --clip auto, its default, keeps answers within.
struct AnswerBounds {
  /// Of each attribute, what within_reach() goes by; empty: attributes are as they are, as for learners that
  /// keep no pairs.
  std::vector<double> largest;
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
