#pragma once

#include <memory>
#include <span>
#include <vector>

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
        slope(slope) {
    for (std::size_t l = 1; l < learner.label_count(); ++l) further.emplace_back(learner.of_label(l));
  }
  /// Of a learner of several labels: that of one of them.
  const PinnedModel& of_label(std::size_t label) const { return label == 0 ? *this : further[label - 1]; }

  /// learner.predict() of that moment, to the bit.
  double predict(std::span<const Entry> entries, const Learner& learner) const;

  std::shared_ptr<const Model> model;
  std::shared_ptr<const Solution> basis;  ///< of examples with missing values
  LabelRange labels;
  std::shared_ptr<const ClassModel> class_model;  ///< of a classifier whose learner has one
  std::size_t classes = 0;
  double slope = 1;
  std::vector<PinnedModel> further;
};

}  // namespace glimpse
