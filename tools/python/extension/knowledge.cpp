#include <algorithm>

#include "learn/core/model_features.h"
#include "learn/core/solving.h"
#include "session.h"

// What a session tells of its model.

namespace glimpse::python {

Session::Told Session::model(std::size_t label) {
  const std::lock_guard lock(mutex_);
  const auto model = learner_->of_label(label).shared_model();
  has_news_ = false;
  return {model->weights, model->bias};
}

std::optional<Session::ClassScores> Session::class_model() {
  const std::lock_guard lock(mutex_);
  bring_up_to_date();
  const auto model = learner_->class_model();
  if (!model) return std::nullopt;
  return ClassScores{model->weights, model->biases};
}

std::vector<double> Session::weight_errors() {
  const std::lock_guard lock(mutex_);
  if (Solving* const solving = learner_->solving()) solving->wish({.weight_errors = true});
  (void)learner_->shared_model();
  has_news_ = false;
  const auto errors = learner_->weight_errors();
  return errors ? *errors : std::vector<double>();
}

Importances Session::importances(std::size_t label) {
  const std::lock_guard lock(mutex_);
  (void)learner_->shared_model();
  has_news_ = false;
  const auto importances = learner_->of_label(label).importances();
  return importances ? *importances : Importances();
}

std::vector<AttributeReach> Session::reaches() const {
  const std::lock_guard lock(mutex_);
  std::vector<AttributeReach> reaches;
  for (std::size_t i = 0; keeps_pairs(learner_->options().algorithm) && i < dimension(); ++i)
    reaches.push_back(learner_->reach(static_cast<Attribute>(i)));
  return reaches;
}

std::vector<double> Session::means() {
  const std::lock_guard lock(mutex_);
  bring_up_to_date();
  const std::shared_ptr<const Solution> basis = prediction_basis(*learner_);
  std::vector<double> means(dimension());
  for (std::size_t i = 0; i < means.size() && i < basis->moments.means.size(); ++i)
    means[i] = basis->outward(static_cast<Attribute>(i), basis->moments.means[i]);
  return means;
}

Result<double> Session::class_code(const std::string& word) {
  const std::lock_guard lock(mutex_);
  const auto code = names_.categories().read_label(word, true);
  if (code) names_.keep();
  return code;
}

std::vector<std::string> Session::classes() const {
  const std::lock_guard lock(mutex_);
  return names_.categories().label_words();
}

std::vector<std::string> Session::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (std::size_t i = 0; !names_.empty() && i < names_.size(); ++i)
    names.push_back(names_.callable_name(static_cast<Attribute>(i)));
  return names;
}

std::vector<Session::Feature> Session::features() {
  const std::lock_guard lock(mutex_);
  bring_up_to_date();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < dimension(); ++i)
    names.push_back(names_.callable_name(static_cast<Attribute>(i)));
  std::vector<Feature> features;
  for (Attribute i = 0; i < dimension(); ++i) features.push_back({i, names[i], {i}});
  const auto model = learner_->model_of_predictions();
  for (const ModelFeature& feature : features_of_model(*learner_, *model, names_.categories())) {
    if (feature.slot < dimension()) continue;
    features.push_back({feature.slot, feature_name(names, feature), {feature.attribute}});
    features.back().attributes.insert(features.back().attributes.end(), feature.others.begin(),
                                      feature.others.end());
  }
  std::ranges::sort(features, {}, &Feature::slot);
  return features;
}

LearnerCounts Session::counts() const {
  const std::lock_guard lock(mutex_);
  return learner_->counts();
}

LabelRange Session::labels() const {
  const std::lock_guard lock(mutex_);
  return learner_->labels();
}

}  // namespace glimpse::python
