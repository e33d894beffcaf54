#include "learn/linalg/l1_ball.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace glimpse {

double l1_norm(std::span<const double> w) {
  double sum = 0;
  for (const double value : w) sum += std::abs(value);
  return sum;
}

void project_onto_l1_ball(std::span<double> w, double radius, std::vector<double>& work) {
  if (l1_norm(w) <= radius) return;
  work.clear();
  for (const double value : w)
    if (value != 0) work.push_back(std::abs(value));
  std::sort(work.begin(), work.end(), std::greater<>());
  // The n largest stay above 0; the threshold at which they have the radius for their sum.
  double sum = 0;
  double threshold = 0;
  for (std::size_t n = 0; n < work.size(); ++n) {
    sum += work[n];
    const double candidate = (sum - radius) / static_cast<double>(n + 1);
    if (candidate >= work[n]) break;
    threshold = candidate;
  }
  for (double& value : w) value = std::copysign(std::fmax(std::abs(value) - threshold, 0), value);
}

}  // namespace glimpse
