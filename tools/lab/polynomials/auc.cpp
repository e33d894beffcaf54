#include "lab/polynomials/auc.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace glimpse {

double area_under_curve(std::span<const double> scores, std::span<const double> labels) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return scores[i]; });
  double below = 0;  // negatives with a smaller score
  double positives = 0;
  double pairs = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    double own_positives = 0;
    double own_negatives = 0;
    std::size_t end = begin;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end)
      (labels[order[end]] > 0 ? own_positives : own_negatives) += 1;
    pairs += own_positives * (below + own_negatives / 2);
    below += own_negatives;
    positives += own_positives;
    begin = end;
  }
  const double all = positives * below;
  return all > 0 ? pairs / all : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace glimpse
