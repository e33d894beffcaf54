#pragma once

#include <span>

#include "stats/pair_sums.h"

namespace glimpse {

/// What takes a row of pairs of attribute i, as they are kept, to a PairSnapshot.
struct SnapshotRow {
  double scale;                 ///< of the sums
  double offset;                ///< of the centre of i from its reference
  double inverse_unit;          ///< of i
  const double* offsets;        ///< the same of j = i + 1, …
  const double* inverse_units;  ///< of these
};

/// Writes the weight of each pair and its covariance about the centres, in the attributes' units. What is
/// beyond a float is the largest: a value far out of proportion that came while the copy was being made.
///
/// Without a branch, four pairs at a time: what takes the time is their way from memory. Every version does
/// the same arithmetic in the same order, without fused operations: results are the same to the bit.
using CopySnapshotRow = void (*)(std::span<const PairSums> pairs, const SnapshotRow& row, float* weights,
                                 float* covariances);

/// For every processor.
CopySnapshotRow plain_copy_snapshot_row();
/// The fastest that this processor has.
CopySnapshotRow fastest_copy_snapshot_row();

}  // namespace glimpse
