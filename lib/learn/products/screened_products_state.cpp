#include <algorithm>
#include <functional>

#include "learn/products/screened_products.h"

namespace glimpse {

void ScreenedProducts::save_state(State& state) const {
  ScreenedPairwise::save_state(state);
  product_screen_.save(state);
  state.put_number("products.tried", tried_);
  if (sums_) sums_->save(state);
}

Status ScreenedProducts::restore_state(const State& state) {
  sums_.reset();
  members_.clear();
  placed_.clear();
  if (state.find("pairwise.sampling") != nullptr)
    return failure(ErrorCode::kMismatch,
                   "the state has products of all attributes, and --pair-memory has room for those of {}: "
                   "start with the --pair-memory that it was made with",
                   most_members_);
  GLIMPSE_TRY(ScreenedPairwise::restore_state(state));
  GLIMPSE_TRY(product_screen_.restore(state));
  GLIMPSE_TRY_ASSIGN(const auto tried, state.get_number<double>("products.tried", 0.0));
  if (!(tried >= 0)) return failure(ErrorCode::kCorrupt, "products.tried is {}, must be 0 or more", tried);
  tried_ = tried;
  GLIMPSE_TRY(restore_members(state));
  count_entered();
  return {};
}

Status ScreenedProducts::restore_members(const State& state) {
  if (state.find("products.members") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto places, state.get<std::uint32_t>("products.members", State::kAnyCount));
  const bool ascends = std::ranges::adjacent_find(places, std::greater_equal<>()) == places.end();
  if (places.empty() || !ascends || places.back() >= active_.size())
    return failure(ErrorCode::kCorrupt, "products.members is no set of {} active attributes", active_.size());
  if (places.size() > most_members_)
    return failure(ErrorCode::kMismatch,
                   "the state has products of {} attributes at a time, and --pair-memory has room for those "
                   "of {}: start with the --pair-memory that it was made with",
                   places.size(), most_members_);
  for (const std::uint32_t place : places) members_.push_back(active_[place]);
  placed_ = active_;
  sums_.emplace(slots_of_members(members_));
  return sums_->restore(state);
}

}  // namespace glimpse
