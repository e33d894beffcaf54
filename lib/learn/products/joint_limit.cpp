#include "learn/products/joint_limit.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

std::vector<std::size_t> JointLimit::within(const ProductSlots& slots, std::span<const std::size_t> products,
                                            std::span<const double> evidence) const {
  std::vector<std::size_t> order(products.begin(), products.end());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const double x = std::abs(evidence[a]);
    const double y = std::abs(evidence[b]);
    return x != y ? x > y : a < b;
  });
  Bill bill(*prices);
  std::vector<Attribute> taken;
  std::vector<std::size_t> result;
  for (const std::size_t product : order) {
    std::vector<Attribute> with = taken;
    for (const std::uint32_t place : slots.factors(slots.attributes() + product)) {
      if (place == ProductSlots::kNone) continue;
      const Attribute i = slots.member(place);
      if (std::ranges::find(with, i) == with.end()) with.push_back(i);
    }
    if (with.size() > attributes || bill.of(with) > cost) continue;
    taken = std::move(with);
    result.push_back(product);
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace glimpse
