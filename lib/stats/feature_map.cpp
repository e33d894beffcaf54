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
  if (!has_indicators(attribute)) make_list(attribute);
}

void FeatureMap::make_date(std::size_t attribute, std::uint8_t parts) {
  if (!has_indicators(attribute)) {
    date_parts_.resize(attributes_);
    make_list(attribute);
    ++dates_;
  }
  date_parts_[attribute] = parts;
}

void FeatureMap::make_list(std::size_t attribute) {
  if (list_of_.empty()) list_of_.assign(attributes_, kNone);
  lists_.reserve(lists_.size() + 1);
  list_of_[attribute] = static_cast<std::uint32_t>(lists_.size());
  lists_.emplace_back();
}

void FeatureMap::forget(std::size_t attribute) {
  if (!has_indicators(attribute) || !indicators(attribute).empty()) return;
  if (is_date(attribute)) {
    --dates_;
    date_parts_[attribute] = 0;
  }
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
  std::vector<std::uint32_t> categories;
  std::vector<std::uint32_t> dates;
  for (std::uint32_t i = 0; i < attributes_; ++i) {
    if (is_category(i)) categories.push_back(i);
    if (is_date(i)) dates.insert(dates.end(), {i, date_parts(i)});
  }
  state.put_copy<std::uint32_t>("features.categories", categories);
  if (!dates.empty()) state.put_copy<std::uint32_t>("features.dates", dates);
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
    if (state.find("features.dates") != nullptr) {
      GLIMPSE_TRY_ASSIGN(const auto dates, state.get<std::uint32_t>("features.dates"));
      for (std::size_t k = 0; k + 1 < dates.size(); k += 2) {
        if (dates[k] >= attributes_ || restored.has_indicators(dates[k]) || dates[k + 1] == 0 ||
            dates[k + 1] > DatePart::kAll)
          return failure(ErrorCode::kCorrupt, "features.dates holds {} with {}, of {} attributes", dates[k],
                         dates[k + 1], attributes_);
        restored.make_date(dates[k], static_cast<std::uint8_t>(dates[k + 1]));
      }
    }
    // As many as there are stay, whatever most_slots_ says now: their sums are there.
    restored.most_slots_ = kNone;
    for (std::size_t s = 0; s + 1 < indicators.size(); s += 2) {
      const std::uint32_t attribute = indicators[s];
      const std::uint32_t code = indicators[s + 1];
      if (attribute >= attributes_ || !restored.has_indicators(attribute) ||
          code >= (restored.is_date(attribute) ? kDateCodes : kMostCodes) ||
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
