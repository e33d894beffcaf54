#include <algorithm>
#include <cmath>

#include "learn/core/class_model.h"
#include "learn/core/learner.h"

// What Learner knows of classes.

namespace glimpse {

// The least-squares prediction of a label of −1 and 1 is 2p − 1.
void Learner::class_scores(const ClassModel*, std::span<const Entry> entries,
                           std::span<double> scores) const {
  constexpr double kMost = 0.999;  // of a probability
  std::ranges::fill(scores, 0.0);
  if (scores.size() < 2) return;
  const double p = std::clamp((1 + predict(entries)) / 2, 1 - kMost, kMost);
  scores[1] = std::log(p / (1 - p));
}

}  // namespace glimpse
