#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/types.h"

namespace glimpse {

/// Draws a set of k distinct items out of n, every set equally likely (Floyd's algorithm; Bentley & Floyd, "A
/// sample of brilliance", 1987): k random numbers and O(k) work whatever n is. Memory: at most 16 bytes times
/// k. Thread-safety: none.
class DistinctSample {
 public:
  /// 1 ≤ k < 2³⁰.
  explicit DistinctSample(std::uint32_t k) : k_(k), slots_(std::bit_ceil(std::size_t{2} * k)) {}

  /// Calls take(item) k times, each time with another item below n; the set is uniform, the order is not.
  /// k ≤ n < 2³² − 1.
  template <class Take>
  void draw(std::uint64_t n, Random& random, const Take& take) {
    for (Attribute& slot : slots_) slot = kEmpty;
    for (std::uint64_t last = n - k_; last < n; ++last) {
      const auto item = static_cast<Attribute>(random.below(last + 1));
      if (insert(item)) {
        take(item);
        continue;
      }
      // Taken already: `last` itself, which could not have been drawn before, takes its place.
      insert(static_cast<Attribute>(last));
      take(static_cast<Attribute>(last));
    }
  }

 private:
  static constexpr Attribute kEmpty = ~Attribute{0};

  // Whether the item was new. At least half of the slots are empty, so a probe is short.
  bool insert(Attribute item) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = (item * std::uint64_t{0x9e3779b97f4a7c15} >> 32) & mask;
    while (slots_[place] != kEmpty) {
      if (slots_[place] == item) return false;
      place = (place + 1) & mask;
    }
    slots_[place] = item;
    return true;
  }

  std::uint32_t k_;
  std::vector<Attribute> slots_;  // an open hash table, emptied for every draw
};

}  // namespace glimpse
