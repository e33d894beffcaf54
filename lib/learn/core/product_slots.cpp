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

namespace {
// The largest i of `count` with first(i) ≤ slot, which ascends.
template <class First>
std::uint32_t last_before(std::size_t count, std::size_t slot, const First& first) {
  std::size_t least = 0;
  for (std::size_t most = count; most - least > 1;) {
    const std::size_t middle = least + (most - least) / 2;
    (first(middle) <= slot ? least : most) = middle;
  }
  return static_cast<std::uint32_t>(least);
}
}  // namespace

std::array<std::uint32_t, 3> ProductSlots::factors(std::size_t slot) const {
  const bool is_of_two = slot < of_two();
  const auto i = last_before(places_, slot, [&](std::size_t p) -> std::size_t {
    const auto place = static_cast<std::uint32_t>(p);
    return is_of_two ? of(place, place) : of(place, place, place);
  });
  if (is_of_two) return {i, static_cast<std::uint32_t>(slot - of(i, i)) + i, kNone};
  const auto j = i + last_before(places_ - i, slot, [&](std::size_t p) -> std::size_t {
                   const auto place = static_cast<std::uint32_t>(i + p);
                   return of(i, place, place);
                 });
  return {i, j, static_cast<std::uint32_t>(slot - of(i, j, j)) + j};
}

void ProductSlots::replace(std::size_t place, Attribute attribute) {
  members_[place] = attribute;
  sort();
}

}  // namespace glimpse
