#include "learn/classes/class_scores.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

void to_probabilities(double slope, std::span<double> scores) {
  const double most = scores.empty() ? kNoScore : *std::ranges::max_element(scores);
  double sum = 0;
  for (double& score : scores) {
    score = std::exp(slope * (score - most));
    sum += score;
  }
  for (double& score : scores)
    score = sum > 0 && std::isfinite(sum) ? score / sum : 1 / static_cast<double>(scores.size());
}

std::size_t greatest(std::span<const double> numbers) {
  return static_cast<std::size_t>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

}  // namespace glimpse
