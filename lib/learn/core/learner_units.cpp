// What a learner tells others is in the user's units: Learner::outward() and its kin.

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/core/learner.h"
#include "learn/core/model_products.h"
#include "learn/core/solving.h"

namespace glimpse {

namespace {
constexpr double kLargestWeight = 1e300;  // in the user's units; what is more counts as that
}

double Learner::outward(std::size_t i, double x) const {
  return has_own_units() ? x : std::ldexp(x, -exponent(i));
}
double Learner::inward(std::size_t i, double x) const {
  return has_own_units() ? x : std::ldexp(x, exponent(i));
}
double Learner::label_outward(double y) const {
  return gauge_.plain() ? y : std::ldexp(y, -gauge_.label_exponent());
}
SamplingRow Learner::outward(std::size_t i, const SamplingRow& row) const {
  if (attribute_gauge().plain()) return row;
  SamplingRow result = row;
  const int exponent = this->exponent(i);
  result.moment.mean = std::ldexp(row.moment.mean, -exponent);
  result.moment.second = std::ldexp(row.moment.second, -2 * exponent);
  result.moment.max_abs = std::ldexp(row.moment.max_abs, -exponent);
  return result;
}

GuardReport Learner::outward(GuardReport report) const {
  const int exponent = gauge_.plain() ? 0 : -2 * gauge_.label_exponent();
  report.excess = std::ldexp(report.excess, exponent);
  report.standard_error = std::ldexp(report.standard_error, exponent);
  return report;
}

std::shared_ptr<const SolutionUnits> Learner::solution_units() const {
  if (has_own_units()) return nullptr;
  auto units = std::make_shared<SolutionUnits>();
  units->label = gauge_.label_exponent();
  units->exponents.resize(features_.room());
  for (std::size_t i = 0; i < options_.dimension; ++i)
    units->exponents[i] = static_cast<std::int16_t>(exponent(i));
  return units;
}

Model Learner::inward(Model model) const {
  if (has_own_units()) return model;
  const int label = gauge_.label_exponent();
  for (std::size_t i = 0; i < model.weights.size(); ++i)
    model.weights[i] = std::ldexp(model.weights[i], label - exponent(i));
  model.bias = std::ldexp(model.bias, label);
  return model;
}

void Learner::outward(Model& model) const {
  if (const auto units = solution_units()) units->outward(model);
}

// each(slot, exponent) of all slots of `model` but those of its products without a weight.
template <class Each>
void SolutionUnits::for_each_weight(const Model& model, const Each& each) const {
  const std::size_t plain = model.products.empty()
                                ? model.weights.size()
                                : std::min(model.products.attributes(), model.weights.size());
  for (std::size_t i = 0; i < plain; ++i) each(i, exponents[i] - label);
  for_each_product(model, [&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    int exponent = exponents[model.products.member(i)] + exponents[model.products.member(j)];
    if (k != ProductSlots::kNone) exponent += exponents[model.products.member(k)];
    each(slot, exponent - label);
  });
}

std::shared_ptr<const SolutionUnits> SolutionUnits::of(std::shared_ptr<const SolutionUnits> units,
                                                       const Model& model) {
  if (!units || model.products.empty() || units->exponents.size() >= model.products.all()) return units;
  auto all = std::make_shared<SolutionUnits>(*units);
  all->exponents.resize(model.products.all());
  model.products.for_each([&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    int exponent = units->exponents[model.products.member(i)] + units->exponents[model.products.member(j)];
    if (k != ProductSlots::kNone) exponent += units->exponents[model.products.member(k)];
    all->exponents[slot] = static_cast<std::int16_t>(exponent);
  });
  return all;
}

void SolutionUnits::outward(Model& model) const {
  for_each_weight(model, [&](std::size_t slot, int exponent) {
    model.weights[slot] =
        std::clamp(std::ldexp(model.weights[slot], exponent), -kLargestWeight, kLargestWeight);
  });
  model.bias = std::clamp(std::ldexp(model.bias, -label), -kLargestWeight, kLargestWeight);
  for (std::size_t i = 0; i < model.centres.size(); ++i)
    model.centres[i] = std::ldexp(model.centres[i], -exponents[model.products.member(i)]);
}

void SolutionUnits::outward(const Model& model, std::span<double> weight_errors) const {
  if (weight_errors.empty()) return;
  for_each_weight(model, [&](std::size_t slot, int exponent) {
    weight_errors[slot] = std::ldexp(weight_errors[slot], exponent);
  });
}

std::shared_ptr<const ClassModel> SolutionUnits::outward(const ClassModel& model) const {
  auto result = std::make_shared<ClassModel>(model);
  const std::size_t classes = model.classes();
  for (std::size_t s = 0; s < model.weights.size(); ++s)
    result->weights[s] =
        std::clamp(std::ldexp(model.weights[s], exponents[s / classes]), -kLargestWeight, kLargestWeight);
  return result;
}

double Learner::finite(double prediction) {
  if (std::isfinite(prediction)) return prediction;
  if (std::isnan(prediction)) return 0;
  return std::copysign(std::numeric_limits<double>::max(), prediction);
}

double Learner::predict_with(const Model& model, std::span<const Entry> entries) const {
  double sum = model.bias;
  for (const Entry& entry : entries)
    sum += model.weights[entry.attribute] *
           (std::isnan(entry.value) ? sampling_row(entry.attribute).moment.mean : entry.value);
  return sum;
}

}  // namespace glimpse
