#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "daemon/predictions/class_prediction.h"
#include "daemon/predictions/clip.h"
#include "daemon/predictions/pinned_model.h"
#include "daemon/predictions/reach_cache.h"
#include "data/records/example_reader.h"
#include "learn/classes/temperature.h"
#include "learn/core/learner.h"
#include "learn/inference/explanation.h"
#include "learn/inference/incomplete_example.h"

namespace glimpse {

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

  /// None of models whose products are known of whole examples alone.
  std::optional<Errors> standard_errors(const PinnedModel* pinned, std::size_t label = 0);

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
