#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/records/example_reader.h"
#include "learn/classes/temperature.h"
#include "learn/core/learner.h"
#include "learn/core/model.h"
#include "learn/gauge/label_range.h"
#include "learn/inference/class_prediction.h"
#include "learn/inference/explanation.h"
#include "learn/inference/incomplete_example.h"

namespace glimpse {

/// Caches Learner::reach() of attributes until the learner changes. Predictions that follow one another use
/// the same values. Memory: 32 bytes for each of the first kMost attributes; the others are not cached.
/// Thread-safety: none; the learner's thread.
class ReachCache {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  /// Before the values of a record. `learner` outlives the next within().
  void begin(const Learner& learner) {
    if (learner_ == &learner && changes_ == learner.changes()) return;
    learner_ = &learner;
    changes_ = learner.changes();
    if (++generation_ == 0) {  // there are bounds of earlier ones of that number
      bounds_.clear();
      generation_ = 1;
    }
    bounds_.resize(std::min(learner.options().dimension, kMost));
  }

  /// within_reach(value, learner.reach(attribute)). REQUIRES: begin().
  double within(Attribute attribute, double value) {
    if (attribute >= bounds_.size()) return within_reach(value, learner_->reach(attribute));
    Bounds& bounds = bounds_[attribute];
    if (bounds.generation != generation_) bounds = bounds_of(learner_->reach(attribute));
    return value < bounds.low || value > bounds.high ? NAN : std::clamp(value, -bounds.most, bounds.most);
  }

 private:
  struct Bounds {
    double low, high, most;
    std::uint32_t generation;
  };

  Bounds bounds_of(const AttributeReach& reach) const {
    const double most = reach.largest > 0 ? reach_of(reach.largest) : std::numeric_limits<double>::infinity();
    return {reach.low, reach.high, most, generation_};
  }

  const Learner* learner_ = nullptr;
  std::uint64_t changes_ = 0;
  std::uint32_t generation_ = 0;  // of nothing
  std::vector<Bounds> bounds_;
};

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

/// Answers records that ask for a prediction, by the newest model or by one that was pinned. Thread-safety:
/// none; the learner's thread.
class Predictor {
 public:
  /// `learner` outlives this.
  explicit Predictor(const Learner& learner) : learner_(&learner) {}

  /// Another one takes its place.
  void set_learner(const Learner& learner) {
    learner_ = &learner;
    reaches_ = {};
  }

  /// How predictions are clipped from now on; auto before.
  void set_clip(const Clip& clip) { clip_ = clip; }
  const Clip& clip() const { return clip_; }

  /// Reads every value of the record that `reader` has opened. Errors as ExampleReader::reveal_all().
  Status read(ExampleReader& reader);
  /// The same from what reveal_all() gave. Swaps the vectors: `entries` has no use afterwards.
  void take(std::vector<Entry>& entries) {
    entries_.swap(entries);
    believe();
  }

  /// Of the record that was read; nullptr: by the newest model. Here and below `label` is one of several.
  double predict(const PinnedModel* pinned, std::size_t label = 0);

  /// The same as predict(), by Learner::predict_as_judged().
  double predict_as_judged(std::size_t label = 0);

  /// Of a classifier, of the record that was read: by its newest model, or a pinned one. Its probabilities
  /// are by the slope that was set, or was pinned. O(entries·classes).
  const ClassPrediction& classify(const PinnedModel* pinned);
  /// Scores of the same by Learner::judged_class_scores(). Valid until the next prediction.
  std::span<double> scores_as_judged();
  void set_slope(double slope) { slope_ = slope; }

  /// How many values it gave, zeros of sparse formats not among them.
  std::size_t values() const;

  /// Where values of that record are missing: the standard errors of the prediction, and of those for which
  /// none is missing; NaN: not known yet. O(d) for learners without conditioning() and no pinned model.
  struct Errors {
    double incomplete = 0;
    double complete = 0;
  };
  /// Why predict() by the newest model gave what it gave, `top` parts of it. None of models whose products
  /// are known of whole examples alone. O(d) and more, see IncompleteExamples.
  std::optional<Explanation> explain(std::size_t top, std::size_t label = 0);
  /// Why classify() by the newest model gave its margin. None of learners without class_model(), and while
  /// there are less than two classes.
  std::optional<Explanation> explain_class(std::size_t top);

  /// None of models whose products are known of whole examples alone, and of complete records unless
  /// `of_complete`.
  std::optional<Errors> standard_errors(const PinnedModel* pinned, std::size_t label = 0,
                                        bool of_complete = false);

 private:
  void believe();
  std::shared_ptr<const Solution> basis_of(const PinnedModel* pinned, std::size_t label = 0) const;

  const Learner* learner_;
  Clip clip_;
  ReachCache reaches_;
  IncompleteExamples incomplete_;
  std::vector<Entry> entries_;
  double slope_ = Temperature::kUsual;
  std::vector<double> scores_;
  std::vector<double> probabilities_;
  ClassPrediction classified_;
  bool is_complete_ = true;
};

}  // namespace glimpse
