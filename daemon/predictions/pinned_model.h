#pragma once

#include <memory>
#include <span>

#include "data/records/example_reader.h"
#include "learn/core/learner.h"
#include "learn/core/model.h"
#include "learn/gauge/label_range.h"
#include "learn/inference/incomplete_example.h"

namespace glimpse {

/// The model that predict() would use at one moment, for an answer whose predictions are made at several.
/// What it does not hold is of the moment of the prediction: means and covariances, for values that are
/// missing, and magnitudes, for Clip::kAuto.
struct PinnedModel {
  /// `slope`: of the probabilities of classes.
  explicit PinnedModel(const Learner& learner, double slope = 1)
      : model(learner.model_of_predictions()),
        basis(prediction_basis(learner)),
        labels(learner.labels()),
        class_model(learner.class_model()),
        classes(learner.classes().size()),
        slope(slope) {}

  /// learner.predict() of that moment, to the bit.
  double predict(std::span<const Entry> entries, const Learner& learner) const;

  std::shared_ptr<const Model> model;
  std::shared_ptr<const Solution> basis;  ///< of examples with missing values
  LabelRange labels;
  std::shared_ptr<const ClassModel> class_model;  ///< of a classifier whose learner has one
  std::size_t classes = 0;
  double slope = 1;
};

}  // namespace glimpse
