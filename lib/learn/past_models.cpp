#include "learn/past_models.h"

#include <cmath>
#include <fmt/core.h>
#include <utility>

#include "learn/distinct_residual.h"
#include "learn/independent_residual.h"

namespace glimpse {

void PastModels::add(const Model& model, const std::function<double(std::size_t)>& mean) {
  std::swap(older_, newer_);
  if (!newer_) newer_.emplace();
  newer_->weights = model.weights;
  newer_->centre.resize(dimension_);
  newer_->at_centre = model.bias;
  newer_->detector = ChangeDetector();
  for (std::size_t i = 0; i < dimension_; ++i) {
    newer_->centre[i] = mean(i);
    newer_->at_centre += model.weights[i] * newer_->centre[i];
  }
}

void PastModels::clear() {
  newer_.reset();
  older_.reset();
}

double PastModels::squared_error(const PastModel& model, const Plan& plan, std::span<const double> values,
                                 double label) const {
  const double rest = label - model.at_centre;
  const auto term = [&](std::size_t position) {
    const Attribute i = plan.attributes[position];
    const double x = values[position];
    return std::isnan(x) ? 0 : model.weights[i] * (x - model.centre[i]);
  };
  switch (draws_) {
    case Draws::kDistinct:
      return distinct_squared_error(plan.inner_product, plan.population > 0 ? plan.population : dimension_,
                                    rest, term);
    case Draws::kIndependent:
      return independent_squared_error(plan.data_point, rest, term);
    case Draws::kAll:
      break;
  }
  double error = -rest;
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) error += term(a);
  return error * error;
}

PastModels::Judgement PastModels::judge(const Plan& plan, std::span<const double> values, double label,
                                        bool watch) {
  Judgement judgement;
  judgement.squared_error = squared_error(*newer_, plan, values, label);
  // A plan whose draws tell nothing, as it was made up by hand or holds one draw alone.
  if (!watch || !std::isfinite(judgement.squared_error)) return judgement;
  judgement.rise = newer_->detector.add(judgement.squared_error);
  if (!older_) return judgement;
  const auto rise = older_->detector.add(squared_error(*older_, plan, values, label));
  if (!judgement.rise) judgement.rise = rise;
  return judgement;
}

void PastModels::save(State& state) const {
  const PastModel* models[] = {newer_ ? &*newer_ : nullptr, older_ ? &*older_ : nullptr};
  for (std::size_t k = 0; k < 2 && models[k] != nullptr; ++k) {
    const std::string name = fmt::format("past.{}", k);
    state.put_copy<double>(name + ".weights", models[k]->weights);
    state.put_copy<double>(name + ".centre", models[k]->centre);
    state.put_number(name + ".at_centre", models[k]->at_centre);
    models[k]->detector.save(state, (name + ".detector").c_str());
  }
}

Status PastModels::restore(const State& state) {
  clear();
  std::optional<PastModel>* models[] = {&newer_, &older_};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string name = fmt::format("past.{}", k);
    if (state.find(name + ".weights") == nullptr) return {};
    const auto weights = state.get<double>(name + ".weights", dimension_);
    if (!weights) return weights.error();
    const auto centre = state.get<double>(name + ".centre", dimension_);
    if (!centre) return centre.error();
    const auto at_centre = state.get_number<double>(name + ".at_centre");
    if (!at_centre) return at_centre.error();
    PastModel& model = models[k]->emplace();
    model.weights.assign(weights->begin(), weights->end());
    model.centre.assign(centre->begin(), centre->end());
    model.at_centre = *at_centre;
    if (const Status status = model.detector.restore(state, (name + ".detector").c_str()); !status)
      return status;
  }
  return {};
}

}  // namespace glimpse
