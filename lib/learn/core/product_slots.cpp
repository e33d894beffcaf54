#include "learn/core/product_slots.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace glimpse {

ProductSlots::ProductSlots(std::size_t attributes, std::size_t degree, std::vector<Attribute> members)
    : attributes_(attributes), places_(members.size()), degree_(degree), members_(std::move(members)) {
  sort();
}

void ProductSlots::sort() {
  sorted_.resize(members_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  std::ranges::sort(sorted_, {}, [this](std::uint32_t place) { return members_[place]; });
}

std::uint32_t ProductSlots::place(Attribute attribute) const {
  if (members_.empty()) return attribute < places_ ? attribute : kNone;
  const auto at = std::ranges::lower_bound(sorted_, attribute, {},
                                           [this](std::uint32_t place) { return members_[place]; });
  return at != sorted_.end() && members_[*at] == attribute ? *at : kNone;
}

void ProductSlots::replace(std::size_t place, Attribute attribute) {
  members_[place] = attribute;
  sort();
}

}  // namespace glimpse
