#include "learn/inference/predictor.h"

#include <algorithm>
#include <cmath>

#include "learn/classes/class_scores.h"

namespace glimpse {

double PinnedModel::predict(std::span<const Entry> entries, const Learner& learner) const {
  return learner.predict_with(*model, entries);
}

Status Predictor::read(ExampleReader& reader) {
  GLIMPSE_TRY(reader.reveal_all(entries_));
  believe();
  return {};
}

// Clips each value to the range that is believed (Learner::reach()).
void Predictor::believe() {
  const bool clips = clip_.kind == Clip::Kind::kAuto && keeps_pairs(learner_->options().algorithm);
  if (clips) reaches_.begin(*learner_);
  is_complete_ = true;
  for (Entry& entry : entries_) {
    double value = entry.value;
    if (std::abs(value) > kLargestMagnitude) value = NAN;  // as where it is learned from
    if (clips) value = reaches_.within(entry.attribute, value);
    is_complete_ = is_complete_ && !std::isnan(value);
    entry.value = value;
  }
}

double Predictor::predict_as_judged(std::size_t label) {
  const Learner& learner = learner_->of_label(label);
  std::shared_ptr<const Solution> basis;
  if (!is_complete_ && IncompleteExamples::conditions(learner, entries_)) basis = learner.judged_basis();
  const double prediction =
      basis ? incomplete_.predict(learner, entries_, basis).prediction : learner.predict_as_judged(entries_);
  return clip_.apply(prediction, learner.labels());
}

const ClassPrediction& Predictor::classify(const PinnedModel* pinned) {
  scores_.resize(pinned != nullptr ? pinned->classes : learner_->classes().size());
  const LabelRange& labels = pinned != nullptr ? pinned->labels : learner_->labels();
  if (labels.empty())
    std::ranges::fill(scores_, 0.0);
  else if (!is_complete_)
    incomplete_.class_scores(*learner_, entries_, basis_of(pinned), scores_);
  else if (pinned != nullptr && pinned->class_model == nullptr)
    learner_->scores_of_prediction(pinned->predict(entries_, *learner_), scores_);
  else
    learner_->class_scores(pinned != nullptr ? pinned->class_model.get() : nullptr, entries_, scores_);
  probabilities_ = scores_;
  to_probabilities(pinned != nullptr ? pinned->slope : slope_, probabilities_);
  classified_ = {scores_, probabilities_, scores_.empty() ? 0 : greatest(probabilities_)};
  return classified_;
}

std::span<double> Predictor::scores_as_judged() {
  scores_.resize(learner_->classes().size());
  std::shared_ptr<const Solution> basis;
  if (!is_complete_ && IncompleteExamples::conditions(*learner_, entries_)) basis = learner_->judged_basis();
  if (basis)
    incomplete_.class_scores(*learner_, entries_, basis, scores_);
  else
    learner_->judged_class_scores(entries_, scores_);
  return scores_;
}

std::size_t Predictor::values() const {
  return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(),
                                                [](const Entry& entry) { return !std::isnan(entry.value); }));
}

std::shared_ptr<const Solution> Predictor::basis_of(const PinnedModel* pinned, std::size_t label) const {
  return pinned != nullptr ? pinned->of_label(label).basis : prediction_basis(learner_->of_label(label));
}

double Predictor::predict(const PinnedModel* pinned, std::size_t label) {
  const Learner& learner = learner_->of_label(label);
  const LabelRange& labels = pinned != nullptr ? pinned->of_label(label).labels : learner.labels();
  if (!is_complete_ && IncompleteExamples::conditions(learner, entries_))
    return clip_.apply(incomplete_.predict(learner, entries_, basis_of(pinned, label)).prediction, labels);
  return clip_.apply(
      pinned != nullptr ? pinned->of_label(label).predict(entries_, learner) : learner.predict(entries_),
      labels);
}

std::optional<Explanation> Predictor::explain(std::size_t top, std::size_t label) {
  const Learner& learner = learner_->of_label(label);
  if (learner.products() != nullptr && learner.conditioning() == nullptr) return std::nullopt;
  Explanation result = incomplete_.explain(learner, entries_, prediction_basis(learner), top);
  if (is_complete_ || !IncompleteExamples::conditions(learner, entries_)) {
    const double prediction = learner.predict(entries_);
    // There the means of now stand for what is not known, and not those that the model was solved with.
    if (!is_complete_) result.unknown += prediction - result.prediction;
    result.prediction = prediction;
  }
  result.clipped = clip_.apply(result.prediction, learner.labels()) - result.prediction;
  return result;
}

std::optional<Explanation> Predictor::explain_class(std::size_t top) {
  const std::shared_ptr<const ClassModel> model = learner_->class_model();
  const ClassPrediction& classified = classify(nullptr);
  if (!model || classified.classes() < 2) return std::nullopt;
  return incomplete_.explain_margin(*learner_, entries_, prediction_basis(*learner_), *model,
                                    classified.scores, slope_, top);
}

std::optional<Predictor::Errors> Predictor::standard_errors(const PinnedModel* pinned, std::size_t label,
                                                            bool of_complete) {
  const Learner& learner = learner_->of_label(label);
  const bool has_products = learner.products() != nullptr || learner.options().products > 0;
  if ((is_complete_ && !of_complete) || (has_products && learner.conditioning() == nullptr))
    return std::nullopt;
  const auto basis = basis_of(pinned, label);
  const double complete = IncompleteExamples::standard_error_of_complete(learner, *basis);
  return Errors{is_complete_ ? complete : incomplete_.predict(learner, entries_, basis).standard_error,
                complete};
}

}  // namespace glimpse
