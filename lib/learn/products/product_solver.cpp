#include "learn/products/product_solver.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "learn/products/product_evidence.h"

namespace glimpse {

std::vector<std::size_t> JointLimit::within(const ProductSlots& slots, std::span<const std::size_t> products,
                                            std::span<const double> evidence) const {
  std::vector<std::size_t> order(products.begin(), products.end());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const double x = std::abs(evidence[a]);
    const double y = std::abs(evidence[b]);
    return x != y ? x > y : a < b;
  });
  Bill bill(*prices);
  std::vector<Attribute> taken;
  std::vector<std::size_t> result;
  for (const std::size_t product : order) {
    std::vector<Attribute> with = taken;
    for (const std::uint32_t place : slots.factors(slots.attributes() + product)) {
      if (place == ProductSlots::kNone) continue;
      const Attribute i = slots.member(place);
      if (std::ranges::find(with, i) == with.end()) with.push_back(i);
    }
    if (with.size() > attributes || bill.of(with) > cost) continue;
    taken = std::move(with);
    result.push_back(product);
  }
  std::ranges::sort(result);
  return result;
}

namespace {

// The numbers of chosen slots in the places of all of them.
std::vector<double> spread_values(std::span<const double> values, std::span<const std::uint32_t> slots,
                                  std::size_t all, double rest) {
  std::vector<double> result(all, rest);
  for (std::size_t a = 0; a < slots.size(); ++a) result[slots[a]] = values[a];
  return result;
}

bool is_beyond_numbers(const SolutionUnits* units, std::size_t slot) {
  constexpr int kLargestExponent = 900;  // of two, in a double's 1,023
  return units != nullptr && (std::abs(units->exponents[slot]) > kLargestExponent ||
                              std::abs(units->exponents[slot] - units->label) > kLargestExponent);
}

}  // namespace

void ProductSolver::solve(const Basis& basis, Model& model, const Cancelled& cancelled, std::size_t steps) {
  linear_.solve(basis.attributes, std::nullopt, model, cancelled, steps);
  linear_model_ = model;
  linear_model_.weights.resize(basis.slots.all());
  linear_model_.products = basis.slots;
  linear_model_.centres.assign(basis.centres.begin(), basis.centres.end());
  attributes_ = basis.attributes.dimension();
  choose(basis, {});
  if (basis.features == nullptr || (cancelled && cancelled()) || !enter(basis, model, cancelled, steps)) {
    choose(basis, {});
    model = linear_model_;
    return;
  }
  model.weights = spread_values(model.weights, slots_, basis.slots.all(), 0);
  model.products = basis.slots;
  model.centres.assign(basis.centres.begin(), basis.centres.end());
}

// False: the linear model is expected to be the best. `model`: that one, then by slots_.
bool ProductSolver::enter(const Basis& basis, Model& model, const Cancelled& cancelled, std::size_t steps) {
  double least = linear_.expected_error(model);
  const std::vector<double> evidence = product_evidence(*basis.features, basis.slots, model.weights, least);
  std::vector<std::size_t> products = significant(evidence, kGate, kFalseShare, basis.tried);
  std::erase_if(products, [&](std::size_t m) { return is_beyond_numbers(basis.units, attributes_ + m); });
  if (basis.limit != nullptr) products = basis.limit->within(basis.slots, products, evidence);
  if (products.empty()) return false;
  choose(basis, products);
  const double linear_error = least;
  double best = 0;
  double last = 0;
  for (const double stretch : kStretches) {
    Model other;
    solve_chosen(basis, last = stretch, other, cancelled, steps);
    const double error = with_products_.expected_error(other);
    if (!(error < least) || with_products_.bare_error(other) < -kBelief * linear_error) continue;
    least = error;
    best = stretch;
    model = std::move(other);
  }
  // What describe() and importances() are about.
  if (best > 0 && best != last) solve_chosen(basis, best, model, cancelled, steps);
  return best > 0;
}

// `products`: numbers from 0 on.
void ProductSolver::choose(const Basis& basis, std::span<const std::size_t> products) {
  slots_.resize(attributes_);
  std::iota(slots_.begin(), slots_.end(), 0U);
  std::transform(products.begin(), products.end(), std::back_inserter(slots_),
                 [this](std::size_t m) { return static_cast<std::uint32_t>(attributes_ + m); });
  if (!products.empty()) chosen_.select(*basis.features, slots_);
}

void ProductSolver::solve_chosen(const Basis& basis, double stretch, Model& model, const Cancelled& cancelled,
                                 std::size_t steps) {
  stretch_.assign(slots_.size(), stretch);
  for (std::size_t a = attributes_; a < slots_.size(); ++a)
    if (slots_[a] >= basis.slots.of_two()) stretch_[a] *= stretch;
  std::fill_n(stretch_.begin(), attributes_, 1.0);
  with_products_.set_stretch(stretch_);
  with_products_.solve(chosen_, std::nullopt, model, cancelled, steps);
}

Model ProductSolver::compact(const Model& model) const {
  Model result;
  for (const std::uint32_t slot : slots_) result.weights.push_back(model.weights[slot]);
  result.bias = model.bias;
  return result;
}

void ProductSolver::describe(const Basis& basis, const Model& model, bool is_other,
                             TargetMoments& description) {
  if (is_other) {
    std::vector<std::size_t> products;
    for (std::size_t slot = attributes_; slot < model.weights.size(); ++slot)
      if (model.weights[slot] != 0 && basis.features != nullptr && model.products == basis.slots &&
          std::ranges::equal(model.centres, basis.centres))
        products.push_back(slot - attributes_);
    choose(basis, products);
    Model unused;
    if (entered() > 0) solve_chosen(basis, 1, unused, {}, PairwiseSolver::kRoughSteps);
    (entered() > 0 ? with_products_ : linear_)
        .replace(entered() > 0 ? chosen_ : basis.attributes, compact(model));
  }
  if (entered() == 0) return linear_.describe(basis.attributes, compact(model), description);
  with_products_.describe(chosen_, compact(model), description);
  for (auto* array : {&description.means, &description.variances, &description.ridge, &description.target})
    *array = spread_values(*array, slots_, basis.slots.all(), 0);
  description.products = basis.slots;
  description.shrinkage = spread_values(description.shrinkage, slots_, basis.slots.all(), 1);
}

Importances ProductSolver::importances(const Basis& basis, const Model& model) const {
  Importances known = entered() > 0 ? with_products_.importances(chosen_, compact(model))
                                    : linear_.importances(basis.attributes, compact(model));
  if (known.shares.empty()) return known;
  known.shares = spread_values(known.shares, slots_, basis.slots.all(), 0);
  known.errors = spread_values(known.errors, slots_, basis.slots.all(), 0);
  return known;
}

std::vector<double> ProductSolver::weight_errors(const Basis& basis, const Cancelled& cancelled) const {
  const std::vector<double> known = entered() > 0 ? with_products_.weight_errors(chosen_, cancelled)
                                                  : linear_.weight_errors(basis.attributes, cancelled);
  if (known.empty()) return known;
  return spread_values(known, slots_, basis.slots.all(), std::nan(""));
}

}  // namespace glimpse
