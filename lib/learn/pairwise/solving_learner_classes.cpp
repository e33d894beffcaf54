#include <algorithm>
#include <cmath>
#include <vector>

#include "learn/pairwise/solving_learner.h"

// What SolvingLearner knows of classes.

namespace glimpse {

void SolvingLearner::learn_class(double importance) {
  if (!is_classifier()) return;
  moments_.grow_targets(std::max(classes().size(), class_of_example() + 1));
  moments_.add_to_class(class_of_example(), importance);
}

// Of up to two classes the label is the indicator of the second.
std::optional<PastModels::Classes> SolvingLearner::judged_classes() const {
  const std::size_t classes =
      past_models_.empty() ? moments_.targets() : past_models_.newest()->indicators.size();
  if (!is_classifier() || classes <= 2) return std::nullopt;
  const std::size_t own = class_of_example();
  const std::size_t turn = static_cast<std::size_t>(steps() % (classes - 1));
  // A class that the model does not know has all the others beside it.
  const bool is_known = own < classes;
  return PastModels::Classes{own, is_known ? (own + 1 + turn) % classes : turn,
                             static_cast<double>(is_known ? classes - 1 : classes)};
}

double SolvingLearner::error_of_shares(const PastModels::Classes& classes) const {
  return classes.sum([&](std::size_t c) {
    const double share = options().bias && c < moments_.targets() ? moments_.target(c).mean() : 0;
    const double error = (c == classes.own ? 1 : 0) - share;
    return error * error;
  });
}

double SolvingLearner::error_of_shares(const PastModels::Classes& classes, const PastModel& model) const {
  return classes.sum([&](std::size_t c) {
    const PastModel* const indicator = model.of_class(c);
    const double share = options().bias && indicator != nullptr ? indicator->at_centre : 0;
    const double error = (c == classes.own ? 1 : 0) - share;
    return error * error;
  });
}

// An example of a class that came after a model does not tell whether later ones, which know it, are worse
// than the shares of classes.
bool SolvingLearner::knows_class(const PastModel& model) const {
  return !is_classifier() || !model.scores || class_of_example() < model.scores->classes();
}

bool SolvingLearner::is_first_of_class() const {
  return class_of_example() >= moments_.targets() || !(moments_.target(class_of_example()).sum > 0);
}

bool SolvingLearner::has_usual_class(const PastModel& model) {
  if (!is_classifier() || !model.scores) return true;
  return class_quota_.admits(class_of_example(), model.scores->priors[class_of_example()]);
}

bool SolvingLearner::has_usual_mix(const PastModel& model) const {
  return !is_classifier() || !model.scores || class_quota_.is_balanced(model.scores->priors);
}

LabelSums SolvingLearner::label_of_losses() const {
  const std::size_t classes = moments_.targets();
  LabelSums label = moments_.label();
  if (classes <= 2) return label;
  double variance = 0;
  for (std::size_t c = 0; c < classes; ++c) variance += moments_.target(c).variance() / 2;
  return {0, label.weight, 0, label.weight * variance};
}

std::shared_ptr<const ClassModel> SolvingLearner::class_model() const {
  return is_classifier() ? recent_solution()->classes : nullptr;
}

namespace {

void add_scores(std::span<const double> weights, double value, std::span<double> scores) {
  for (std::size_t c = 0; c < std::min(weights.size(), scores.size()); ++c) scores[c] += weights[c] * value;
}

void begin_scores(const ClassModel& model, std::span<double> scores) {
  std::ranges::fill(scores, kNoScore);
  std::copy_n(model.biases.begin(), std::min(scores.size(), model.classes()), scores.begin());
}

}  // namespace

void SolvingLearner::class_scores(const ClassModel* model, std::span<const Entry> entries,
                                  std::span<double> scores) const {
  const std::shared_ptr<const ClassModel> newest = model == nullptr ? class_model() : nullptr;
  if (model == nullptr) model = newest.get();
  if (model == nullptr) return Learner::class_scores(nullptr, entries, scores);
  begin_scores(*model, scores);
  for (const Entry& entry : entries) {
    const Attribute i = entry.attribute;
    const bool is_missing = std::isnan(entry.value);
    if (!features_.is_category(i)) {
      const double value = is_missing ? outward(i, mean_of(i)) : entry.value;
      add_scores(model->weights_of(i), value, scores);
    } else if (!is_missing) {
      add_scores(model->weights_of(features_.indicator(i, entry.value)), 1, scores);
    } else {
      for (const std::uint32_t slot : features_.indicators(i))
        add_scores(model->weights_of(slot), slot < model->slots() ? mean_of(slot) : 0, scores);
    }
  }
}

void SolvingLearner::judged_class_scores(std::span<const Entry> entries, std::span<double> scores) const {
  const PastModel* const judge = judging();
  // With products there are two classes, and the model of their label.
  if (judge != nullptr && !judge->scores && options().products > 0)
    return scores_of_prediction(predict_as_judged(entries), scores);
  if (labels().empty()) {
    std::ranges::fill(scores, 0.0);
    return;
  }
  if (moments_.targets() < 2) return scores_of_prediction(predict_as_judged(entries), scores);
  if (judge == nullptr || !judge->scores) {
    std::vector<double> counts(scores.size());
    for (std::size_t c = 0; c < std::min(counts.size(), moments_.targets()); ++c)
      counts[c] = moments_.target(c).sum;
    std::ranges::copy(class_priors(counts).biases, scores.begin());
    return;
  }
  const ClassModel& model = *judge->scores;
  begin_scores(model, scores);
  for (const Entry& entry : entries) {
    const Attribute i = entry.attribute;
    const bool is_missing = std::isnan(entry.value);
    if (!features_.is_category(i)) {
      add_scores(model.weights_of(i), is_missing ? judge->centre[i] : inward(i, entry.value), scores);
    } else if (!is_missing) {
      add_scores(model.weights_of(features_.indicator(i, entry.value)), 1, scores);
    } else {
      for (const std::uint32_t slot : features_.indicators(i))
        if (slot < judge->centre.size()) add_scores(model.weights_of(slot), judge->centre[slot], scores);
    }
  }
}

}  // namespace glimpse
