// What is told of a part of an example.

#include <algorithm>

#include "learn/core/model_products.h"
#include "learn/inference/conditioning.h"
#include "learn/products/placed_moments.h"
#include "learn/products/screened_products.h"

namespace glimpse {

ProductSolver::Basis ScreenedProducts::copied_basis(const Copy& copy) const {
  return {copy.snapshot,   &product_snapshot_,  copied_slots_,
          copied_centres_, copied_units_.get(), copied_tried_};
}

// The model may be another than the one that was solved for, of other attributes and products.
void ScreenedProducts::complete(Copy& copy, Solution& solution) const {
  const Model& model = solution.model;
  solution.slots = model.weights.size();
  solution.features = options().dimension + count_products(model);
  if (copy.active.empty() || !(copy.snapshot.label().weight > 0)) {
    solution.moments = no_moments(model.weights.size());
    solution.moments.products = model.products;
    if (copy.snapshot.label().weight > 0) solution.moments.noise = copy.snapshot.label().variance();
    return;
  }
  const PastModel* const earlier = solution.choice.earlier.get();
  const std::span<const double> centre =
      earlier != nullptr ? std::span<const double>(earlier->centre) : std::span<const double>();
  const bool is_other = solution.withheld != nullptr;
  TargetMoments described;
  if (copies_products_) {
    const PlacedSlots places(model, copy.active, copy.snapshot, copied_slots_, copied_centres_);
    product_solver_.describe(copied_basis(copy), places.placed(), is_other, described);
    solution.moments = places.unplaced(described, copied_means_, copied_variances_, centre);
    return;
  }
  const PlacedSlots places(model, copy.active, copy.snapshot);
  if (is_other) copy.solver.replace(copy.snapshot, places.placed());
  copy.solver.describe(copy.snapshot, places.placed(), described);
  solution.moments = places.unplaced(described, copied_means_, copied_variances_, centre);
}

std::uint32_t ScreenedProducts::place_now(const ProductSlots& slots, std::uint32_t slot) const {
  if (slot < options().dimension) return slot_[slot];
  const auto [i, j, k] = slots.factors(slot);
  const std::uint32_t now = slot_now(slots, i, j, k);
  return now == ProductSlots::kNone ? kInactive : now;
}

void ScreenedProducts::covariances(const TargetMoments& about, std::span<const Attribute> rows,
                                   std::span<const Attribute> columns, std::span<double> out) const {
  const bool has_products = about.means.size() > options().dimension && sums_;
  const PairMoments& moments = has_products ? sums_->moments() : moments_;
  std::vector<std::uint32_t> places;
  for (const Attribute j : columns) places.push_back(place_now(about.products, j));
  std::size_t cell = 0;
  for (const Attribute i : rows) {
    const std::uint32_t row = place_now(about.products, i);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Attribute j = columns[c];
      const std::uint32_t column = places[c];
      double& covariance_here = out[cell++];
      if (i == j || row == kInactive || column == kInactive || row == column) {
        covariance_here = i == j ? about.variances[i] : 0;
        continue;
      }
      const bool is_in_order = row < column;
      const auto [first, second] = std::minmax(row, column);
      const double sum = moments.co_moment(first, second, about.means[is_in_order ? i : j],
                                           about.means[is_in_order ? j : i]);
      covariance_here = covariance(about, i, j, sum, moments.pair(first, second).weight);
    }
  }
}

}  // namespace glimpse
