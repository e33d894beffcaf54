#include "learn/small_models/small_refit.h"

#include <algorithm>

namespace glimpse {

// Own slots of attributes first, as everywhere; those of categories are no features.
std::vector<std::uint32_t> select_attributes(const PairSnapshot& moments,
                                             const std::vector<std::vector<std::size_t>>& features,
                                             std::span<const Attribute> attributes, PairSnapshot& part) {
  const std::vector<std::uint32_t> own(attributes.begin(), attributes.end());
  std::vector<std::uint32_t> slots = own;
  const FeatureMap& all = moments.features();
  if (all.is_plain()) {
    part.select(moments, slots);
    return slots;
  }
  FeatureMap map(own.size());
  for (std::size_t a = 0; a < own.size(); ++a) {
    if (!all.is_category(own[a])) continue;
    map.make_category(a);
    for (const std::size_t slot : features[own[a]]) slots.push_back(static_cast<std::uint32_t>(slot));
  }
  std::sort(slots.begin() + static_cast<std::ptrdiff_t>(own.size()), slots.end());
  for (std::size_t a = own.size(); a < slots.size(); ++a) {
    const auto owner = static_cast<std::uint32_t>(all.owner(slots[a]));
    const auto place = std::ranges::lower_bound(own, owner) - own.begin();
    map.find_or_add(static_cast<std::size_t>(place), static_cast<double>(all.code(slots[a])));
  }
  part.select(moments, slots, map);
  return slots;
}

ExpectedLoss SmallRefit::solve(std::span<const Attribute> attributes,
                               const PairwiseSolver::Cancelled& cancelled) {
  std::vector<Attribute> ascending(attributes.begin(), attributes.end());
  std::ranges::sort(ascending);
  slots_ = select_attributes(moments_, features_, ascending, part_);
  solver_.solve(part_, ball_, model_, cancelled);
  return expected_loss(part_, solver_, model_);
}

double SmallRefit::weight(std::size_t slot) const {
  const auto found = std::ranges::lower_bound(slots_, static_cast<std::uint32_t>(slot));
  return model_.weights[static_cast<std::size_t>(found - slots_.begin())];
}

Model SmallRefit::model() const {
  Model model;
  model.weights.assign(moments_.dimension(), 0.0);
  model.bias = model_.bias;
  for (std::size_t a = 0; a < slots_.size(); ++a) model.weights[slots_[a]] = model_.weights[a];
  return model;
}

}  // namespace glimpse
