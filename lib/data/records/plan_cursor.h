#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/types.h"

namespace glimpse {

/// Finds the attributes that a sparse record gives among those that are asked for. While they ascend, as they
/// mostly do, a find costs O(1) amortised; an attribute out of order costs a binary search. Thread-safety:
/// none.
class PlanCursor {
 public:
  static constexpr std::size_t kNotPlanned = static_cast<std::size_t>(-1);

  /// `plan` ascends strictly and outlives the cursor.
  explicit PlanCursor(std::span<const Attribute> plan) : plan_(plan) {}

  /// The position of `attribute` in the plan, or kNotPlanned.
  std::size_t find(Attribute attribute) {
    if (at_ > 0 && plan_[at_ - 1] >= attribute) {
      at_ = search(0, at_, attribute);
    } else if (at_ < plan_.size() && plan_[at_] < attribute) {
      ++at_;
      if (at_ < plan_.size() && plan_[at_] < attribute) at_ = search(at_ + 1, plan_.size(), attribute);
    }
    return at_ < plan_.size() && plan_[at_] == attribute ? at_ : kNotPlanned;
  }

 private:
  std::size_t search(std::size_t from, std::size_t to, Attribute attribute) const {
    const auto begin = plan_.begin();
    const auto found = std::lower_bound(begin + static_cast<std::ptrdiff_t>(from),
                                        begin + static_cast<std::ptrdiff_t>(to), attribute);
    return static_cast<std::size_t>(found - begin);
  }

  std::span<const Attribute> plan_;
  std::size_t at_ = 0;  // everything before is less than the attribute asked for last
};

}  // namespace glimpse
