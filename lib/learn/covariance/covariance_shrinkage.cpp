#include "learn/covariance/covariance_shrinkage.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

double covariance_shrinkage(const AttributeSums& sums) {
  constexpr double kNormal = 3;
  const double n = sums.weight();
  const double variance = sums.variance();
  if (!(n > 0) || !(variance > 0)) return 1;
  const double mean = sums.sum() / n;  // of u
  const double fourth =
      sums.fourth / n - mean * (4 * sums.cube / n - mean * (6 * sums.square / n - 3 * mean * mean));
  const double shrinkage = fourth / (kNormal * variance * variance);
  // Of sums that have faded to the end of the numbers (--half-life) nothing is known.
  return std::isfinite(shrinkage) ? std::max(1.0, shrinkage) : 1;
}

}  // namespace glimpse
