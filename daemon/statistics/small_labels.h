#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "daemon/statistics/statistics.h"

namespace glimpse {

/// Labels that are all nearer to 0 are learned as others are, but nothing is told of their losses: these are
/// in the labels' own units, and the squares of losses, of which standard errors are made, are no doubles.
inline constexpr double kSmallestTold = 1e-70;

/// Whether labels vary, and all of them are below kSmallestTold.
inline bool are_too_small(const LabelRange& labels) {
  return labels.min() < labels.max() &&
         std::max(std::abs(labels.min()), std::abs(labels.max())) < kSmallestTold;
}

/// Takes out what cannot be told of such labels: losses and variances of 0 would be wrong.
inline void leave_out_small_losses(Statistics& s) {
  for (LabelFacts& label : s.by_label) {
    if (!are_too_small(label.labels)) continue;
    label.variance = std::nan("");
    label.progressive_loss = label.recent_loss = {};
    label.held_out = label.frozen = {};
  }
  if (!are_too_small(s.labels)) return;
  s.label_variance = std::nan("");
  s.progressive_loss = s.recent_loss = {};
  for (UnlearnedLoss* loss : std::initializer_list<UnlearnedLoss*>{&s.held_out, &s.frozen}) *loss = {};
}

}  // namespace glimpse
