#include "learn/evaluation/past_models.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <utility>

#include "learn/core/product_slots.h"
#include "learn/evaluation/distinct_residual.h"
#include "learn/evaluation/independent_residual.h"
#include "learn/evaluation/product_residual.h"

namespace glimpse {

void PastModels::add(const Model& model, std::uint64_t examples,
                     const std::function<double(std::size_t)>& mean) {
  std::vector<double> centre(model.weights.size());
  for (std::size_t i = 0; i < centre.size(); ++i) centre[i] = features_.is_category(i) ? 0 : mean(i);
  add(std::make_shared<PastModel>(past_model(model, std::move(centre), examples, features_)));
}

void PastModels::add(std::shared_ptr<const PastModel> model) {
  older_ = std::move(newer_);
  newer_ = {std::move(model), {}};
}

void PastModels::forget_attribute(std::size_t attribute) {
  for (Watched* each : {&newer_, &older_})
    if (each->model) each->model = without(*each->model, attribute);
}

void PastModels::clear() {
  newer_ = {};
  older_ = {};
}

// What the product of two attributes of the plan adds to a prediction, beside what it adds at its mean.
double PastModels::product(const PastModel& model, const Plan& plan, std::span<const double> values,
                           std::size_t a, std::size_t b) const {
  const Attribute i = plan.attributes[a];
  const Attribute j = plan.attributes[b];
  const std::uint32_t slot = product_slot(dimension_, i, j);
  const double weight = model.weights[slot];
  if (weight == 0 || std::isnan(values[a]) || std::isnan(values[b])) return 0;
  return weight * ((values[a] - model.centres[i]) * (values[b] - model.centres[j]) - model.centre[slot]);
}

double PastModels::squared_error(const PastModel& model, const Plan& plan, std::span<const double> values,
                                 double label) const {
  const double rest = label - model.at_centre;
  const auto term = [&](std::size_t position) {
    const Attribute i = plan.attributes[position];
    const double x = values[position];
    return std::isnan(x) ? 0 : model.term(i, x, features_);
  };
  if (model.linear)
    return product_squared_error(
        plan.inner_product, plan.population > 0 ? plan.population : dimension_, rest,
        [&](std::size_t a) { return term(a) + product(model, plan, values, a, a); },
        [&](std::size_t a, std::size_t b) {
          return product(model, plan, values, std::min(a, b), std::max(a, b));
        });
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
  judgement.squared_error = squared_error(*newer_.model, plan, values, label);
  const double linear_error = newer_.model->linear ? squared_error(*newer_.model->linear, plan, values, label)
                                                   : judgement.squared_error;
  // A plan whose draws tell nothing, as it was made up by hand or holds one draw alone.
  if (!watch || !std::isfinite(linear_error)) return judgement;
  judgement.rise = newer_.detector.add(linear_error);
  if (!older_.model) return judgement;
  const auto rise = older_.detector.add(squared_error(older_.model->without_products(), plan, values, label));
  if (!judgement.rise) judgement.rise = rise;
  return judgement;
}

void PastModels::save(State& state) const {
  const Watched* models[] = {&newer_, &older_};
  for (std::size_t k = 0; k < 2 && models[k]->model; ++k) {
    const std::string name = fmt::format("past.{}", k);
    glimpse::save(state, name, *models[k]->model);
    models[k]->detector.save(state, (name + ".detector").c_str());
  }
}

Status PastModels::restore(const State& state, std::size_t most_slots) {
  clear();
  Watched* models[] = {&newer_, &older_};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string name = fmt::format("past.{}", k);
    auto model = restore_past_model(state, name, dimension_, most_slots > 0 ? most_slots : features_.room());
    if (!model) return model.error();
    if (!*model) return {};
    models[k]->model = std::move(*model);
    if (const Status status = models[k]->detector.restore(state, (name + ".detector").c_str()); !status)
      return status;
  }
  return {};
}

}  // namespace glimpse
