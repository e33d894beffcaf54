#include <algorithm>
#include <cmath>

#include "learn/core/class_model.h"
#include "learn/core/learner.h"

// What Learner knows of classes.

namespace glimpse {

// The least-squares prediction of a label that is `low` or `high` is low + p·(high − low).
void Learner::scores_of_prediction(double prediction, std::span<double> scores) const {
  constexpr double kMost = 0.999;  // of a probability
  std::ranges::fill(scores, 0.0);
  if (scores.size() < 2) return;
  const double low = label_of_class(0);
  const double p = std::clamp((prediction - low) / (label_of_class(1) - low), 1 - kMost, kMost);
  scores[1] = std::log(p / (1 - p));
}

void Learner::class_scores(const ClassModel*, std::span<const Entry> entries,
                           std::span<double> scores) const {
  if (labels_.empty())
    std::ranges::fill(scores, 0.0);  // nothing says which
  else
    scores_of_prediction(predict(entries), scores);
}

}  // namespace glimpse
