#include "learn/small_models/small_refit.h"

#include <algorithm>

namespace glimpse {

// Own slots of attributes first, as everywhere; those of categories are no features.
void SmallRefit::select(std::span<const Attribute> attributes) {
  slots_.assign(attributes.begin(), attributes.end());
  std::ranges::sort(slots_);
  const FeatureMap& all = moments_.features();
  if (all.is_plain()) return part_.select(moments_, slots_);
  const std::vector<std::uint32_t> own = slots_;
  FeatureMap map(own.size());
  for (std::size_t a = 0; a < own.size(); ++a) {
    if (!all.is_category(own[a])) continue;
    map.make_category(a);
    for (const std::size_t slot : features_[own[a]]) slots_.push_back(static_cast<std::uint32_t>(slot));
  }
  std::sort(slots_.begin() + static_cast<std::ptrdiff_t>(own.size()), slots_.end());
  for (std::size_t a = own.size(); a < slots_.size(); ++a) {
    const auto owner = static_cast<std::uint32_t>(all.owner(slots_[a]));
    const auto place = std::ranges::lower_bound(own, owner) - own.begin();
    map.find_or_add(static_cast<std::size_t>(place), static_cast<double>(all.code(slots_[a])));
  }
  part_.select(moments_, slots_, map);
}

ExpectedLoss SmallRefit::solve(std::span<const Attribute> attributes,
                               const PairwiseSolver::Cancelled& cancelled) {
  select(attributes);
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
