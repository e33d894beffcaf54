#include "learn/products/placed_moments.h"

#include <algorithm>
#include <array>
#include <utility>

#include "learn/core/model_products.h"

namespace glimpse {

PlacedSlots::PlacedSlots(const Model& model, std::span<const Attribute> active, const PairSnapshot& sums,
                         const ProductSlots& slots, std::span<const double> centres)
    : model_(model),
      slots_(slots),
      centres_(centres.begin(), centres.end()),
      places_(slots.empty() ? active.size() : slots.all()),
      place_(model.weights.size(), kNone) {
  for (std::uint32_t a = 0; a < active.size(); ++a)
    if (sums[a].weight() > 0) place_[active[a]] = a;
  if (slots.empty() || model.products.empty()) return;
  std::vector<std::uint32_t> members(model.products.places(), kNone);
  for (std::uint32_t p = 0; p < members.size(); ++p) {
    const auto at = std::ranges::lower_bound(active, model.products.member(p));
    if (at == active.end() || *at != model.products.member(p)) continue;
    const std::uint32_t member = slots.place(static_cast<Attribute>(at - active.begin()));
    if (member != ProductSlots::kNone && centres_[member] == model.centres[p]) members[p] = member;
  }
  for_each_product(model, [&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    std::array<std::uint32_t, 3> factors{members[i], members[j], members[k == ProductSlots::kNone ? j : k]};
    if (std::ranges::find(factors, kNone) != factors.end()) return;
    if (k == ProductSlots::kNone) {
      place_[slot] = slots.of(std::min(factors[0], factors[1]), std::max(factors[0], factors[1]));
      return;
    }
    std::ranges::sort(factors);
    place_[slot] = slots.of(factors[0], factors[1], factors[2]);
  });
}

Model PlacedSlots::placed() const {
  Model result;
  result.weights.assign(places_, 0.0);
  for (std::size_t slot = 0; slot < place_.size(); ++slot)
    if (place_[slot] != kNone) result.weights[place_[slot]] = model_.weights[slot];
  result.bias = model_.bias;
  result.products = slots_;
  result.centres = centres_;
  return result;
}

TargetMoments PlacedSlots::unplaced(const TargetMoments& placed, std::span<const double> means,
                                    std::span<const double> variances, std::span<const double> centre) const {
  TargetMoments result;
  result.total = placed.total;
  result.ridge_total = placed.ridge_total;
  result.expected = placed.expected;
  result.margin = placed.margin;
  result.noise = placed.noise;
  result.products = model_.products;
  const std::size_t slots = model_.weights.size();
  result.shrinkage.assign(slots, 1.0);
  for (auto* array : {&result.means, &result.variances, &result.ridge, &result.target})
    array->assign(slots, 0.0);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const std::uint32_t place = place_[slot];
    const double weight = model_.weights[slot];
    if (place != kNone && place < placed.means.size()) {
      result.means[slot] = placed.means[place];
      result.variances[slot] = placed.variances[place];
      result.ridge[slot] = placed.ridge[place];
      result.target[slot] = placed.target[place];
      result.shrinkage[slot] = placed.shrinkage[place];
    } else if (weight != 0) {
      const bool is_attribute = slot < means.size();
      result.means[slot] = is_attribute ? means[slot] : slot < centre.size() ? centre[slot] : 0;
      result.variances[slot] = is_attribute ? variances[slot] : 0;
      result.target[slot] = weight * result.variances[slot];
      result.total += weight * result.target[slot];
      result.expected += weight * result.means[slot];
    }
  }
  return result;
}

Model unplaced(const Model& placed, std::span<const Attribute> active, std::size_t dimension) {
  std::vector<Attribute> members;
  for (const Attribute place : placed.products.members()) members.push_back(active[place]);
  Model model;
  model.weights = unplaced(placed.weights, active, dimension);
  model.bias = placed.bias;
  model.centres = placed.centres;
  model.products = ProductSlots(dimension, placed.products.degree(), std::move(members));
  return model;
}

std::vector<double> unplaced(std::span<const double> values, std::span<const Attribute> active,
                             std::size_t dimension, double rest) {
  std::vector<double> result(dimension + values.size() - active.size(), rest);
  for (std::size_t s = 0; s < active.size(); ++s) result[active[s]] = values[s];
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(active.size()), values.end(),
            result.begin() + static_cast<std::ptrdiff_t>(dimension));
  return result;
}

void drop_products(Model& model) {
  model.weights.resize(model.products.attributes());
  model.products = {};
  model.centres.clear();
}

std::vector<bool> with_products(std::vector<bool> of_places, std::size_t slots) {
  of_places.resize(slots);
  return of_places;
}

}  // namespace glimpse
