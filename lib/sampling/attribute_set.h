#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"

namespace glimpse {

/// A set of attributes below n that is filled one by one and then emptied in ascending order: what sorting
/// would do, without its comparisons, half of which a processor guesses wrong.
///
/// A bit an attribute in words of 64, and above it a bit a word that is not 0: emptying it visits the words
/// that hold something, and n/4096 more. Memory: n/8 bytes. Thread-safety: none.
class AttributeSet {
 public:
  AttributeSet() = default;
  explicit AttributeSet(std::size_t n) : words_(n / 64 + 1), full_(n / 4096 + 1) {}

  /// Whether `i` was new. O(1).
  bool insert(Attribute i) {
    std::uint64_t& word = words_[i / 64];
    const std::uint64_t bit = std::uint64_t{1} << i % 64;
    if (word & bit) return false;
    word |= bit;
    full_[i / 4096] |= std::uint64_t{1} << i / 64 % 64;
    ++size_;
    return true;
  }

  bool contains(Attribute i) const { return words_[i / 64] >> i % 64 & 1; }
  std::size_t size() const { return size_; }

  /// O(size() + n/4096), and O(1) where it is empty.
  void clear() {
    if (size_ == 0) return;
    for (std::size_t group = 0; group < full_.size(); ++group) {
      for (std::uint64_t full = full_[group]; full != 0; full &= full - 1)
        words_[64 * group + static_cast<std::size_t>(std::countr_zero(full))] = 0;
      full_[group] = 0;
    }
    size_ = 0;
  }

  /// Moves everything to `ascending`, whose old content is gone; without memory for it nothing is moved.
  /// O(size() + n/4096).
  void take_all(std::vector<Attribute>& ascending) {
    ascending.resize(size_);
    Attribute* next = ascending.data();
    for (std::size_t group = 0; group < full_.size(); ++group) {
      for (std::uint64_t full = full_[group]; full != 0; full &= full - 1) {
        const std::size_t at = 64 * group + static_cast<std::size_t>(std::countr_zero(full));
        for (std::uint64_t word = words_[at]; word != 0; word &= word - 1)
          *next++ = static_cast<Attribute>(64 * at + static_cast<std::size_t>(std::countr_zero(word)));
        words_[at] = 0;
      }
      full_[group] = 0;
    }
    size_ = 0;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> full_;  // which words are not 0
  std::size_t size_ = 0;
};

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
