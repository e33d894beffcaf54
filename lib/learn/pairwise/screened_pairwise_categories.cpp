#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/covariance/reselect.h"
#include "learn/judges/active_features.h"
#include "learn/pairwise/screened_pairwise.h"
#include "stats/feature_sums.h"

// What ScreenedPairwise does about attributes that hold categories.

namespace glimpse {

// Where there is no place for one its categories are not learned from.
void ScreenedPairwise::activate_categories(const Plan& plan) {
  for (const Attribute i : plan.attributes) {
    if (!features_.is_category(i)) continue;
    if (slot_[i] != kInactive && places_.is_category(slot_[i])) continue;
    std::vector<Attribute> active = active_;
    if (slot_[i] == kInactive) {
      if (active.size() >= active_limit(options())) continue;
      active.insert(std::lower_bound(active.begin(), active.end(), i), i);
    }
    activate(std::move(active));
  }
}

void ScreenedPairwise::add_features(const Plan& plan, std::span<const double> values, double label,
                                    double importance) {
  slots_.clear();
  slot_values_.clear();
  indicators_.clear();
  numbers_.assign(values.begin(), values.end());
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) {
    const Attribute i = plan.attributes[a];
    const bool is_category = features_.is_category(i);
    if (is_category) numbers_[a] = NAN;
    if (slot_[i] == kInactive || std::isnan(values[a])) continue;
    slots_.push_back(slot_[i]);
    slot_values_.push_back(is_category ? 1 : values[a]);
    // Both maps have an indicator or none has.
    if (is_category && features_.find_or_add(i, values[a]) != FeatureMap::kNone)
      indicators_.push_back(places_.find_or_add(slot_[i], values[a]));
  }
  std::sort(indicators_.begin(), indicators_.end());
  slots_.insert(slots_.end(), indicators_.begin(), indicators_.end());
  slot_values_.resize(slots_.size(), 1.0);
  if (moments_.dimension() < places_.room()) {
    std::vector<std::size_t> from(places_.room(), kNewSlot);
    std::iota(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(moments_.dimension()), std::size_t{0});
    moments_ = reselect(moments_, from);
    spoil_capture();
  }
  moments_.add(slots_, slot_values_, label, importance);
  learn_class(importance);
  screen_example(plan, numbers_, label, importance);
}

double ScreenedPairwise::mean_of(std::size_t slot) const {
  const std::size_t d = options().dimension;
  if (slot < d) return screen_.mean(slot);
  if (slot >= features_.slots()) return 0;
  return feature_sums(moments_, places_, active_.size() + (slot - d)).mean();
}

// The root of the sum of the indicators' variances.
double ScreenedPairwise::spread_of_categories(std::size_t place) const {
  double sum = 0;
  for (const std::uint32_t slot : places_.indicators(place))
    if (slot != FeatureMap::kNone) sum += feature_sums(moments_, places_, slot).variance();
  return std::sqrt(sum);
}

}  // namespace glimpse
