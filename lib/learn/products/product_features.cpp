#include "learn/products/product_features.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

ProductFeatures::ProductFeatures(ProductSlots slots) : product_slots_(std::move(slots)) {
  factors_.reserve(product_slots_.all() - attributes());
  product_slots_.for_each([this](std::uint32_t, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    factors_.push_back({i, j, k});
  });
}

bool ProductFeatures::has_factor(std::size_t slot, std::uint32_t place) const {
  return std::ranges::find(factors(slot), place) != factors(slot).end();
}

void ProductFeatures::expand(std::span<const Attribute> attributes, std::span<const double> values,
                             std::span<const Member> members, std::span<const double> centres,
                             std::vector<Attribute>& slots, std::vector<double>& out) const {
  slots.clear();
  out.clear();
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (std::isnan(values[a])) continue;
    slots.push_back(attributes[a]);
    out.push_back(values[a]);
  }
  const auto factor = [&](const Member& member) { return values[member.at] - centres[member.place]; };
  // What is not a number is not at most anything.
  const auto add = [&](std::uint32_t slot, double product) {
    if (!(std::abs(product) <= kLargestProduct)) return;
    slots.push_back(slot);
    out.push_back(product);
  };
  for (auto a = members.begin(); a != members.end(); ++a)
    for (auto b = a; b != members.end(); ++b)
      add(product_slots_.of(a->place, b->place), factor(*a) * factor(*b));
  if (product_slots_.degree() < 3) return;
  for (auto a = members.begin(); a != members.end(); ++a)
    for (auto b = a; b != members.end(); ++b)
      for (auto c = b; c != members.end(); ++c)
        add(product_slots_.of(a->place, b->place, c->place), factor(*a) * factor(*b) * factor(*c));
}

}  // namespace glimpse
