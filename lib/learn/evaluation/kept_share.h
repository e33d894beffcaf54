#pragma once

#include <algorithm>

#include "stats/change_detector.h"
#include "stats/pair_moments.h"

namespace glimpse {

/// What share of their weight the examples so far keep after a rise of the loss: from 0 to 1.
///
/// How much of what was learned is wrong is told by how much of what the model explained is lost: with all of
/// it lost, everything is forgotten. With a share s lost, the old examples keep (1 − s)/s times the weight of
/// those since the change. So a model of both leans on the new ones the more the larger the change.
inline double share_kept(const ChangeDetector::Rise& rise, const LabelSums& label) {
  const double explained = label.variance() - rise.before;
  const double lost = explained > 0 ? (rise.after - rise.before) / explained : 1;
  if (!(lost < 1)) return 0;
  const double kept = static_cast<double>(rise.since) * (1 - lost) / lost;
  return std::min(kept / label.weight, 1.0);
}

}  // namespace glimpse
