#include "learn/products/placed_moments.h"

#include <algorithm>
#include <array>

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

}  // namespace glimpse
