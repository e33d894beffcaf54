#include "learn/inference/partial_factor.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace glimpse {

PartialFactor::PartialFactor(const TargetMoments& moments, std::vector<Attribute> universe)
    : universe_(std::move(universe)), is_known_(universe_.size()) {
  slots_.reserve(universe_.size());
  for (std::size_t s = 0; s < universe_.size(); ++s) {
    slots_.emplace(universe_[s], s);
    variances_.push_back(moments.variances[universe_[s]]);
  }
}

std::optional<std::size_t> PartialFactor::unknown_slot(Attribute attribute) const {
  const auto found = slots_.find(attribute);
  if (found == slots_.end() || is_known_[found->second]) return std::nullopt;
  return found->second;
}

PartialFactor::Step PartialFactor::condition(const TargetMoments& moments, std::size_t slot,
                                             std::span<const double> row) {
  is_known_[slot] = true;
  ++known_;
  while (first_unknown_ < is_known_.size() && is_known_[first_unknown_]) ++first_unknown_;
  const double pivot = std::exchange(variances_[slot], 0.0);
  if (!(pivot > 0)) return {};
  if (row.empty()) return {pivot, {}};
  const double root = std::sqrt(pivot);
  column_.assign(row.begin(), row.end());
  for (const std::vector<double>& earlier : columns_) {
    const double factor = earlier[slot];
    if (factor == 0) continue;
    for (std::size_t j = first_unknown_; j < column_.size(); ++j) column_[j] -= factor * earlier[j];
  }
  for (std::size_t j = first_unknown_; j < column_.size(); ++j) {
    if (is_known_[j]) {
      column_[j] = 0;
      continue;
    }
    const double limit = std::sqrt(variances_[j]);
    const double l = std::clamp(column_[j] / root, -limit, limit);
    column_[j] = l;
    variances_[j] = std::max(variances_[j] - l * l, moments.margin * moments.ridge[universe_[j]]);
  }
  columns_.push_back(column_);
  return {pivot, columns_.back()};
}

}  // namespace glimpse
