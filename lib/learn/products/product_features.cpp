#include "learn/products/product_features.h"

#include <cmath>

namespace glimpse {

ProductFeatures::ProductFeatures(std::size_t attributes, std::size_t degree)
    : product_slots_(attributes, degree), monomials_(attributes, product_slots_.all() - attributes) {
  for (Attribute i = 0; i < attributes; ++i)
    for (Attribute j = i; j < attributes; ++j) monomials_.add(i, j);
  if (degree < 3) return;
  for (Attribute i = 0; i < attributes; ++i)
    for (Attribute j = i; j < attributes; ++j)
      for (Attribute k = j; k < attributes; ++k) monomials_.add(product_slots_.of(i, j), k);
}

void ProductFeatures::expand(std::span<const Attribute> attributes, std::span<const double> values,
                             std::span<const double> centres, std::vector<Attribute>& slots,
                             std::vector<double>& out) const {
  slots.clear();
  out.clear();
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (std::isnan(values[a])) continue;
    slots.push_back(attributes[a]);
    out.push_back(values[a]);
  }
  const std::size_t known = slots.size();
  const auto factor = [&](std::size_t a) { return out[a] - centres[slots[a]]; };
  const auto add = [&](std::uint32_t slot, double product) {
    if (!(std::abs(product) <= kLargestProduct)) return;
    slots.push_back(slot);
    out.push_back(product);
  };
  for (std::size_t a = 0; a < known; ++a)
    for (std::size_t b = a; b < known; ++b) add(product_slots_.of(slots[a], slots[b]), factor(a) * factor(b));
  if (product_slots_.degree() < 3) return;
  for (std::size_t a = 0; a < known; ++a)
    for (std::size_t b = a; b < known; ++b)
      for (std::size_t c = b; c < known; ++c)
        add(product_slots_.of(slots[a], slots[b], slots[c]), factor(a) * factor(b) * factor(c));
}

}  // namespace glimpse
