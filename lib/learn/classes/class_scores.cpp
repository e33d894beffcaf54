#include "learn/classes/class_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

double margin(std::span<const double> numbers) {
  if (numbers.size() < 2) return 0;
  const std::size_t first = greatest(numbers);
  double second = -std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < numbers.size(); ++c)
    if (c != first) second = std::max(second, numbers[c]);
  return numbers[first] - second;
}

}  // namespace glimpse
