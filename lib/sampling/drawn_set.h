#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"

namespace glimpse {

/// The set of attributes of one plan: at most as many as the constructor is told. An open hash table with
/// four places for each. It stays in the nearest cache, where an array of d marks does not. clear() is O(1).
/// Thread-safety: none.
class DrawnSet {
 public:
  DrawnSet() = default;
  /// Room for `most` attributes.
  explicit DrawnSet(std::size_t most)
      : places_(kPlaces * std::bit_ceil(most + 1)), shift_(64 - std::countr_zero(places_.size())) {}

  /// Whether `i` was new. REQUIRES: fewer than `most` are in it, or `i` is. O(1).
  bool insert(Attribute i) {
    std::uint64_t& place = place_of(i);
    const std::uint64_t wanted = generation_ << 32 | i;
    if (place == wanted) return false;
    place = wanted;
    ++size_;
    return true;
  }

  bool contains(Attribute i) { return place_of(i) == (generation_ << 32 | i); }
  std::size_t size() const { return size_; }

  void clear() {
    size_ = 0;
    if (++generation_ <= kLastGeneration) return;
    places_.assign(places_.size(), 0);
    generation_ = 1;
  }

  std::size_t memory_bytes() const { return places_.size() * sizeof(std::uint64_t); }

 private:
  static constexpr std::size_t kPlaces = 4;
  static constexpr std::uint64_t kLastGeneration = 0xFFFFFFFF;

  // Where it is, or the place that is free for it.
  std::uint64_t& place_of(Attribute i) {
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
    for (std::size_t at = (i * kMultiplier) >> shift_;; ++at) {
      std::uint64_t& place = places_[at & (places_.size() - 1)];
      if (place >> 32 != generation_ || static_cast<Attribute>(place) == i) return place;
    }
  }

  std::vector<std::uint64_t> places_;  // generation and attribute; of another generation: free
  int shift_ = 0;
  std::uint64_t generation_ = 1;
  std::size_t size_ = 0;
};

}  // namespace glimpse
