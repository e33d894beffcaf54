#include "learn/products/product_features.h"

#include <cmath>

namespace glimpse {

ProductFeatures::ProductFeatures(std::size_t attributes)
    : monomials_(attributes, attributes * (attributes + 1) / 2) {
  for (std::uint32_t i = 0; i < attributes; ++i)
    for (std::uint32_t j = i; j < attributes; ++j) monomials_.add(i, j);
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
  for (std::size_t a = 0; a < known; ++a) {
    const double first = out[a] - centres[slots[a]];
    for (std::size_t b = a; b < known; ++b) {
      const double product = first * (out[b] - centres[slots[b]]);
      if (!(std::abs(product) <= kLargestProduct)) continue;
      slots.push_back(slot(slots[a], slots[b]));
      out.push_back(product);
    }
  }
}

}  // namespace glimpse
