#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stats/pair_sums.h"

namespace glimpse {

using SeenAttribute = std::uint16_t;

/// An example of which some attributes were seen: up to `end` among those of many examples.
struct SeenExample {
  std::uint32_t end;
  double weight;
};

/// Where a row's attribute was seen: in an example, as the entry `first` of what was seen.
struct RowVisit {
  std::uint32_t first;
  std::uint32_t example;
};

/// What was seen of many examples: entry e is attributes[e], with u[e]; those of an example ascend.
struct SeenValues {
  const SeenExample* examples;
  const SeenAttribute* attributes;
  const double* u;
};

/// Adds the pairs of one attribute i with those behind it, of many examples in order: row[j − i − 1] is the
/// cell of (i, j), of which there are `cells`. The same sums to the bit as AddToPairs gives. The row behind
/// it in memory is fetched meanwhile. Thread-safety: that of the arrays.
using AddToRow = void (*)(PairSums* row, std::size_t i, std::size_t cells, std::span<const RowVisit> visits,
                          const SeenValues& seen);

/// For every processor.
AddToRow plain_add_to_row();
/// The fastest that this processor has.
AddToRow fastest_add_to_row();

}  // namespace glimpse
