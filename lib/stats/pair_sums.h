#pragma once

#include <cstddef>
#include <span>

#include "base/types.h"

namespace glimpse {

/// Sums over the examples in which two attributes i < j were both seen, each counted with its importance.
/// u = x − reference of the attribute. All zero at first. 32 bytes on a boundary of 32: one vector, and never
/// two cache lines.
struct alignas(32) PairSums {
  double weight;
  double first;    ///< Σ u_i
  double second;   ///< Σ u_j
  double product;  ///< Σ u_i·u_j

  PairSums operator*(double factor) const {
    return {weight * factor, first * factor, second * factor, product * factor};
  }
};

/// pairs[pair_row(i, d) + j] is the cell of (i, j), i < j < d, in the packed upper triangle of d attributes.
/// Wraps below 0 for i = 0: unsigned numbers come round.
inline std::size_t pair_row(std::size_t i, std::size_t dimension) {
  return i * (2 * dimension - i - 1) / 2 - i - 1;
}

/// Adds one example to the sums of all pairs of its `attributes`, which ascend strictly; u[a] is that of
/// attributes[a]. O(K²), no allocation. Thread-safety: that of the arrays.
///
/// A cell is one vector, and what is added to it is a product of two, one for each attribute:
///
///     (w, w·u_i, w, w·u_i) ⊙ (1, 1, u_j, u_j) = (w, w·u_i, w·u_j, (w·u_i)·u_j)
///
/// so a pair costs a multiplication, an addition and a store. The time goes into fetching the cells from
/// memory. A loop over one row ends, with a branch that the processor mispredicts, before enough fetches are
/// under way. So four rows go together.
///
/// Every version multiplies and adds the same numbers in the same order, without fused operations: the sums
/// are the same to the bit.
using AddToPairs = void (*)(PairSums* pairs, std::size_t dimension, std::span<const Attribute> attributes,
                            std::span<const double> u, double weight);

/// For every processor.
AddToPairs plain_add_to_pairs();
/// The fastest that this processor has.
AddToPairs fastest_add_to_pairs();

}  // namespace glimpse
