#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "learn/core/product_slots.h"
#include "learn/options/prices.h"

namespace glimpse {

/// Which products a model may have whose products are judged by plans that show all their attributes at once:
/// what these cost together, and how many they are, has a limit. Thread-safety: that of a value type.
struct JointLimit {
  std::shared_ptr<const Prices> prices;
  Money cost = 0;
  std::size_t attributes = 0;

  /// Of `products`, numbers from 0 on, those that are left where the ones with the largest |evidence| are
  /// taken first and each that would cost too much is passed over. Ascending. O(products·attributes).
  std::vector<std::size_t> within(const ProductSlots& slots, std::span<const std::size_t> products,
                                  std::span<const double> evidence) const;
};

}  // namespace glimpse
