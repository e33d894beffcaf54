#pragma once

#include <optional>
#include <span>

#include "stats/change_detector.h"

namespace glimpse {

/// One of several streams that may change together: the window of its detector (Watch::kTogether).
struct PooledStream {
  const ChangeDetector* detector = nullptr;
  double rate = 1;   ///< numbers that come to it while 1 comes to a stream of rate 1; above 0
  double scale = 1;  ///< what its numbers are multiplied by to be in the unit of the others
};

/// What rose_together() found.
struct PooledRise {
  double before = 0;  ///< means over the streams, each weighted by its newer numbers
  double after = 0;
  double since = 0;  ///< how long ago it rose, about: in numbers of a stream of rate 1
};

/// Whether the mean of several streams has risen, as ChangeDetector decides it of one. A pure function of the
/// windows; of one stream it is what the detector itself would say.
///
/// All windows are split at the same age, the newer part of each compared with its own older part, so that
/// streams of different levels are no change. The difference is the mean of all newer numbers, each less the
/// older mean of its stream. Its variance is that of these differences about their mean, and at least the
/// mean of the whole windows' variances, over their number; and Σ share² · variance of each older mean. The
/// quantile is ChangeDetector's. So P streams that rise together are noticed after about 1/P of the numbers
/// of each that one alone needs, and one that rises alone after P times its own. A fall is no alarm: what
/// came before it is left out, and the rest compared again.
///
/// Cost: O(S·B·log B) for S ages, at most about 70 for each doubling of the longest window, and B streams.
std::optional<PooledRise> rose_together(std::span<const PooledStream> streams);

}  // namespace glimpse
