#include "learn/evaluation/past_models.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <utility>

#include "learn/evaluation/residuals.h"

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

namespace {

// What an example adds to a prediction beside what its features add at their means, by positions in the plan.
// A product of a missing value is at its mean.
class ProductTerms {
 public:
  // `places`: of the plan's attributes in the model's products.
  ProductTerms(const PastModel& model, const Plan& plan, std::span<const double> values,
               std::span<const std::uint32_t> places)
      : model_(model), plan_(plan), values_(values), places_(places), slots_(model.products) {}

  std::size_t degree() const { return slots_.degree(); }
  std::size_t population() const { return plan_.population > 0 ? plan_.population : slots_.attributes(); }
  // With squares and cubes, as x² is of x alone.
  double single(std::size_t a) const {
    const Attribute attribute = plan_.attributes[a];
    if (std::isnan(values_[a])) return 0;
    double sum = model_.weights[attribute] * (values_[a] - model_.centre[attribute]);
    const std::uint32_t i = places_[a];
    if (i == ProductSlots::kNone) return sum;
    const double x = about_centre(a);
    sum += term(slots_.of(i, i), x * x);
    if (degree() > 2) sum += term(slots_.of(i, i, i), x * x * x);
    return sum;
  }
  double pair(std::size_t a, std::size_t b) const {
    if (places_[a] > places_[b]) std::swap(a, b);
    const std::uint32_t i = places_[a];
    const std::uint32_t j = places_[b];
    if (j == ProductSlots::kNone) return 0;
    const double x = about_centre(a);
    const double y = about_centre(b);
    double sum = term(slots_.of(i, j), x * y);
    if (degree() > 2) sum += term(slots_.of(i, i, j), x * x * y) + term(slots_.of(i, j, j), x * y * y);
    return sum;
  }
  double triple(std::size_t a, std::size_t b, std::size_t c) const {
    if (places_[a] > places_[b]) std::swap(a, b);
    if (places_[b] > places_[c]) std::swap(b, c);
    if (places_[a] > places_[b]) std::swap(a, b);
    if (places_[c] == ProductSlots::kNone) return 0;
    const std::uint32_t slot = slots_.of(places_[a], places_[b], places_[c]);
    if (model_.weights[slot] == 0) return 0;
    return term(slot, about_centre(a) * about_centre(b) * about_centre(c));
  }

 private:
  double about_centre(std::size_t a) const { return values_[a] - model_.centres[places_[a]]; }
  double term(std::uint32_t slot, double product) const {
    if (model_.weights[slot] == 0 || std::isnan(product)) return 0;
    return model_.weights[slot] * (product - model_.centre[slot]);
  }

  const PastModel& model_;
  const Plan& plan_;
  std::span<const double> values_;
  std::span<const std::uint32_t> places_;
  const ProductSlots& slots_;
};

// Of more draws an estimate with products of three would take too long: it grows with their cube.
constexpr std::size_t kMostOfThree = 16;

}  // namespace

double PastModels::product_error(const PastModel& model, const Plan& plan, std::span<const double> values,
                                 double rest) const {
  places_.clear();
  for (const Attribute i : plan.attributes) places_.push_back(model.products.place(i));
  const ProductTerms terms(model, plan, values, places_);
  std::span<const Draw> draws = plan.inner_product;
  if (terms.degree() > 2 && draws.size() > kMostOfThree && draws.size() < terms.population())
    draws = draws.first(kMostOfThree);
  return product_squared_error(draws, rest, terms);
}

// Of what was certain to be seen all is known, and two draws tell of the others, that are in no product.
double PastModels::error_with_certain(const PastModel& model, const Plan& plan,
                                      std::span<const double> values, double rest) const {
  const auto term = [&](std::size_t position) {
    const double x = values[position];
    return std::isnan(x) ? 0 : model.term(plan.attributes[position], x, features_);
  };
  double seen = 0;
  if (model.linear) {
    places_.assign(plan.attributes.size(), ProductSlots::kNone);
    for (const Draw& draw : plan.data_point)
      places_[draw.position] = model.products.place(plan.attributes[draw.position]);
    if (!all_certain(model)) return std::numeric_limits<double>::quiet_NaN();
    const ProductTerms terms(model, plan, values, places_);
    for (auto a = plan.data_point.begin(); a != plan.data_point.end(); ++a) {
      seen += terms.single(a->position);
      for (auto b = a + 1; b != plan.data_point.end(); ++b) {
        seen += terms.pair(a->position, b->position);
        if (terms.degree() < 3) continue;
        for (auto c = b + 1; c != plan.data_point.end(); ++c)
          seen += terms.triple(a->position, b->position, c->position);
      }
    }
  } else {
    for (const Draw& draw : plan.data_point) seen += term(draw.position);
  }
  return distinct_squared_error(plan.inner_product, plan.population, rest - seen, term);
}

// Every product that has a weight is of places in places_.
bool PastModels::all_certain(const PastModel& model) const {
  bool result = true;
  is_certain_.assign(model.products.places(), false);
  for (const std::uint32_t place : places_)
    if (place != ProductSlots::kNone) is_certain_[place] = true;
  model.products.for_each([&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    if (model.weights[slot] == 0) return;
    result = result && is_certain_[i] && is_certain_[j] && (k == ProductSlots::kNone || is_certain_[k]);
  });
  return result;
}

double PastModels::squared_error(const PastModel& model, const Plan& plan, std::span<const double> values,
                                 double label) const {
  const double rest = label - model.at_centre;
  if (draws_ == Draws::kDistinct && !plan.data_point.empty())
    return error_with_certain(model, plan, values, rest);
  const auto term = [&, is_plain = features_.is_plain()](std::size_t position) {
    const Attribute i = plan.attributes[position];
    const double x = values[position];
    if (std::isnan(x)) return 0.0;
    return is_plain ? model.term_of_number(i, x) : model.term(i, x, features_);
  };
  if (model.linear) return product_error(model, plan, values, rest);
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

// What came after the model it takes to be 0.
double PastModels::squared_error(const PastModel& model, const Plan& plan, std::span<const double> values,
                                 double label, const Classes* classes) const {
  if (classes == nullptr) return squared_error(model, plan, values, label);
  return classes->sum([&](std::size_t c) {
    const double indicator = c == classes->own ? 1 : 0;
    const PastModel* const judged = model.of_class(c);
    return judged != nullptr ? squared_error(*judged, plan, values, indicator) : indicator;
  });
}

PastModels::Judgement PastModels::judge(const Plan& plan, std::span<const double> values, double label,
                                        Watch watch, const Classes* classes) {
  Judgement judgement;
  judgement.squared_error = squared_error(*newer_.model, plan, values, label, classes);
  const double linear_error = newer_.model->linear ? squared_error(*newer_.model->linear, plan, values, label)
                                                   : judgement.squared_error;
  // A plan whose draws tell nothing, as it was made up by hand or holds one draw alone.
  if (watch == Watch::kOff || !std::isfinite(linear_error)) return judgement;
  judgement.rise = newer_.detector.add(linear_error, watch);
  if (!older_.model) return judgement;
  const auto rise = older_.detector.add(
      squared_error(older_.model->without_products(), plan, values, label, classes), watch);
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
    GLIMPSE_TRY_ASSIGN(auto model, restore_past_model(state, name, dimension_,
                                                      most_slots > 0 ? most_slots : features_.room()));
    if (!model) return {};
    models[k]->model = std::move(model);
    GLIMPSE_TRY(models[k]->detector.restore(state, (name + ".detector").c_str()));
  }
  return {};
}

}  // namespace glimpse
