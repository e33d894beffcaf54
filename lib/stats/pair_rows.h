#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/pair_sums.h"

namespace glimpse {

using SeenAttribute = std::uint16_t;

/// Examples one behind the other in which the same attributes were seen.
struct SeenGroup {
  std::uint32_t begin = 0;  ///< of its attributes among those of many groups, ascending
  std::uint32_t end = 0;
  std::uint32_t values = 0;    ///< where its values begin, those of one example behind those of another
  std::uint32_t weights = 0;   ///< the weight of its first example
  std::uint32_t examples = 0;  ///< from 1 to kMostTogether

  static constexpr std::uint32_t kMostTogether = 32;

  std::size_t seen() const { return end - begin; }
};

/// Where a row's attribute was seen: in a group, as the entry `first` of what was seen.
struct RowVisit {
  std::uint32_t first;
  std::uint32_t group;
};

/// What was seen of many examples. Behind the last value there are kBehind more, whatever they are.
struct SeenValues {
  static constexpr std::size_t kBehind = 8;

  const SeenGroup* groups;
  const SeenAttribute* attributes;
  const double* u;
  const double* weights;
};

/// Adds the pairs of one attribute i with those behind it, of many groups in order: row[j − i − 1] is the
/// cell of (i, j), of which there are `cells`. The same sums to the bit as AddToPairs gives example by
/// example: a cell's additions keep their order, and each is rounded as there. The row behind it in memory is
/// fetched meanwhile. Thread-safety: that of the arrays.
using AddToRow = void (*)(PairSums* row, std::size_t i, std::size_t cells, std::span<const RowVisit> visits,
                          const SeenValues& seen);

/// Adds all pairs of one group; the same sums as well. Of four or eight cells at a time the sums stay in
/// registers for all examples of the group, each kind of them in a vector. So a cell comes from memory once
/// for all of them, and is fetched while the row before it is added. O(seen²·examples).
using AddGroup = void (*)(PairSums* pairs, std::size_t dimension, const SeenGroup& group,
                          const SeenValues& seen);

/// Those of this processor, from one that every processor has to the fastest.
std::vector<AddToRow> all_add_to_row();
std::vector<AddGroup> all_add_group();
AddToRow fastest_add_to_row();
AddGroup fastest_add_group();

}  // namespace glimpse
