#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "base/random.h"
#include "base/types.h"

namespace glimpse {

/// Draws from a fixed distribution over {0, …, n − 1} in O(1) with one random number (Walker 1977; built as
/// in Vose 1991). Memory: 24 bytes an item. Thread-safety: sample() may be called from several threads, each
/// with its own Random.
class AliasTable {
 public:
  AliasTable() = default;
  /// `weights`: finite, ≥ 0, not all 0; need not sum to 1. O(n), no allocation when rebuilt with no more
  /// items than before.
  void build(std::span<const double> weights);

  std::size_t size() const { return cells_.size(); }

  /// i with probability weights[i] / Σ weights, exact to 2^-53 / n. REQUIRES size() > 0.
  std::size_t sample(Random& random) const {
    const double position = random.uniform() * static_cast<double>(cells_.size());
    const auto i = static_cast<std::size_t>(position);
    return position - static_cast<double>(i) < cells_[i].threshold ? i : cells_[i].alias;
  }

 private:
  struct Cell {
    double threshold;  // the share of this cell that is the item's own
    std::uint32_t alias;
  };
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> work_;  // light items from the front, heavy ones from the back, while building
};

/// Draws attributes from a fixed distribution over up to 2³² of them in O(1), with 5 bytes an attribute and
/// an exact probability in hand.
///
/// A plain alias table needs 12 to 16 bytes an attribute, and a second look-up for the probability that an
/// importance weight divides by. Here the weights are first rounded to one of at most 256 levels. A draw
/// picks a level by a small alias table that stays in the nearest cache, then one of that level's attributes,
/// all equally likely:
///
///     order_:  | attributes of level 0 | level 1 | … | level 255 |
///
/// The distribution is ours to choose, so rounding costs no bias: probabilities are those of the rounded
/// weights. Levels are equally spaced in the bits of the float, 2^b to an octave, b as large as the range of
/// the weights allows. Up to a range of 65,536 : 1 there are 16 to an octave (a rounding of at most 3 %), up
/// to 4·10⁹ : 1 there are 8 (6 %). A sampling distribution off by a factor 1 ± r raises the estimators'
/// variance by about r². Thread-safety: sample() and probability() may be called from several threads, each
/// with its own Random.
class LevelTable {
 public:
  /// A drawn attribute, and the probability with which it is drawn.
  struct Draw {
    Attribute attribute;
    double probability;
  };

  LevelTable() = default;
  /// Room for `size` attributes, 1 ≤ size ≤ 2³². Empty until built.
  explicit LevelTable(std::size_t size) : order_(size), level_(size) {}

  /// Fixes the distribution: weight(i), called twice for each i in ascending order, finite and > 0. O(size),
  /// no allocation.
  template <class Weight>
  void build(const Weight& weight) {
    std::uint32_t lowest = ~0U;
    std::uint32_t highest = 0;
    for (std::size_t i = 0; i < level_.size(); ++i) {
      const std::uint32_t bits = key(weight(i));
      lowest = bits < lowest ? bits : lowest;
      highest = bits > highest ? bits : highest;
    }
    begin_levels(lowest, highest);
    for (std::size_t i = 0; i < level_.size(); ++i) {
      level_[i] = static_cast<std::uint8_t>((key(weight(i)) - lowest) >> shift_);
      ++first_[level_[i] + 1U];
    }
    finish_levels();
  }

  bool built() const { return total_ > 0; }
  std::size_t size() const { return order_.size(); }

  /// A draw that knows its level and its place among that level's attributes.
  struct Ticket {
    std::uint32_t level;
    std::uint32_t place;
  };

  /// The first half of a draw. Its memory travels until the second half asks for it. REQUIRES built().
  Ticket begin_sample(Random& random) const {
    const std::size_t level = levels_.sample(random);
    const std::uint64_t place = first_[level] + random.below(first_[level + 1] - first_[level]);
    prefetch(&order_[place]);
    return {static_cast<std::uint32_t>(level), static_cast<std::uint32_t>(place)};
  }
  Draw finish_sample(Ticket ticket) const { return {order_[ticket.place], value_[ticket.level] / total_}; }

  /// A whole draw. REQUIRES built().
  Draw sample(Random& random) const { return finish_sample(begin_sample(random)); }

  /// The probability with which sample() gives `attribute`. REQUIRES built().
  double probability(Attribute attribute) const { return value_[level_[attribute]] / total_; }

  /// Brings near what probability() of `attribute` will read.
  void prefetch_probability(Attribute attribute) const { prefetch(&level_[attribute]); }

  std::size_t memory_bytes() const { return order_.size() * 5 + sizeof *this; }

  /// The levels of every attribute and what they stand for: all that restore() needs.
  const LargeArray<std::uint8_t>& levels() const { return level_; }
  std::uint32_t lowest_key() const { return lowest_; }
  std::uint32_t shift() const { return shift_; }
  /// Whether these stand for probabilities: what restore() asks of them beside their number. O(size).
  static bool is_sound(std::span<const std::uint8_t> levels, std::uint32_t lowest_key, std::uint32_t shift);
  /// Rebuilds the table that levels(), lowest_key() and shift() came from. O(size). False, and nothing is
  /// changed, where there is none that they are of: a level would stand for no positive, finite float.
  [[nodiscard]] bool restore(std::span<const std::uint8_t> levels, std::uint32_t lowest_key,
                             std::uint32_t shift);

 private:
  static constexpr std::size_t kLevels = 256;

  // The bits of a positive float ascend with its value and are close to linear in its logarithm.
  // What is no positive number of a float's size, NaN among it, counts as the nearest one: no table that
  // restore() would refuse is ever built.
  static std::uint32_t key(double weight) {
    constexpr double kLeast = 0x1p-100;
    constexpr double kMost = 0x1p100;
    const double bounded = weight > kLeast ? (weight < kMost ? weight : kMost) : kLeast;
    return std::bit_cast<std::uint32_t>(static_cast<float>(bounded));
  }

  void begin_levels(std::uint32_t lowest, std::uint32_t highest);
  void finish_levels();

  LargeArray<Attribute> order_;
  LargeArray<std::uint8_t> level_;
  std::array<std::uint64_t, kLevels + 1> first_{};  // of each level in order_
  std::array<double, kLevels> value_{};             // the weight that each level stands for
  AliasTable levels_;
  std::uint32_t lowest_ = 0;
  std::uint32_t shift_ = 0;
  double total_ = 0;
};

}  // namespace glimpse
