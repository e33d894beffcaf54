#include "stats/feature_map.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace glimpse {

std::size_t FeatureMap::room_for(std::size_t slots) const {
  constexpr std::size_t kLeast = 8;
  constexpr unsigned kShare = 2;  // a power of two: a quarter of the largest one that is not above
  const std::size_t indicators = slots - attributes_;
  if (indicators == 0) return attributes_;
  const std::size_t step = std::max(std::bit_floor(indicators) >> kShare, kLeast);
  return attributes_ + (indicators + step - 1) / step * step;
}

void FeatureMap::make_category(std::size_t attribute) {
  if (is_category(attribute)) return;
  if (list_of_.empty()) list_of_.assign(attributes_, kNone);
  lists_.reserve(lists_.size() + 1);
  list_of_[attribute] = static_cast<std::uint32_t>(lists_.size());
  lists_.emplace_back();
}

void FeatureMap::forget_category(std::size_t attribute) {
  if (!is_category(attribute) || !indicators(attribute).empty()) return;
  const std::uint32_t list = list_of_[attribute];
  lists_.erase(lists_.begin() + static_cast<std::ptrdiff_t>(list));
  list_of_[attribute] = kNone;
  for (std::uint32_t& other : list_of_)
    if (other != kNone && other > list) --other;
  if (lists_.empty()) list_of_.clear();
}

std::uint32_t FeatureMap::find_or_add(std::size_t attribute, double code) {
  if (const std::uint32_t known = indicator(attribute, code); known != kNone) return known;
  if (!(code >= 0 && code < kMostCodes) || code != std::floor(code)) return kNone;
  if (is_full()) return kNone;
  auto& list = lists_[list_of_[attribute]];
  const auto place = static_cast<std::uint32_t>(code);
  if (place >= list.size()) list.resize(place + 1, kNone);
  const auto slot = static_cast<std::uint32_t>(slots());
  owners_.push_back({static_cast<std::uint32_t>(attribute), place});
  list[place] = slot;
  return slot;
}

void FeatureMap::save(State& state) const {
  if (is_plain()) return;
  const auto categories = state.put<std::uint32_t>("features.categories", lists_.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < attributes_; ++i)
    if (is_category(i)) categories[next++] = static_cast<std::uint32_t>(i);
  const auto indicators = state.put<std::uint32_t>("features.indicators", 2 * owners_.size());
  for (std::size_t s = 0; s < owners_.size(); ++s) {
    indicators[2 * s] = owners_[s].attribute;
    indicators[2 * s + 1] = owners_[s].code;
  }
}

Status FeatureMap::restore(const State& state) {
  FeatureMap restored(attributes_, most_slots_);
  if (state.find("features.categories") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto categories, state.get<std::uint32_t>("features.categories"));
    GLIMPSE_TRY_ASSIGN(const auto indicators, state.get<std::uint32_t>("features.indicators"));
    for (const std::uint32_t attribute : categories) {
      if (attribute >= attributes_ || restored.is_category(attribute))
        return failure(ErrorCode::kCorrupt, "features.categories holds {}, of {} attributes", attribute,
                       attributes_);
      restored.make_category(attribute);
    }
    // As many as there are stay, whatever most_slots_ says now: their sums are there.
    restored.most_slots_ = kNone;
    for (std::size_t s = 0; s + 1 < indicators.size(); s += 2) {
      const std::uint32_t attribute = indicators[s];
      const std::uint32_t code = indicators[s + 1];
      if (attribute >= attributes_ || !restored.is_category(attribute) || code >= kMostCodes ||
          restored.indicator(attribute, code) != kNone)
        return failure(ErrorCode::kCorrupt, "features.indicators holds category {} of attribute {}", code,
                       attribute);
      restored.find_or_add(attribute, code);
    }
    restored.most_slots_ = most_slots_;
  }
  *this = std::move(restored);
  return {};
}

}  // namespace glimpse
