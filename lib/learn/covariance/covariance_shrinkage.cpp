#include "learn/covariance/covariance_shrinkage.h"

#include <algorithm>

namespace glimpse {

double covariance_shrinkage(const AttributeSums& sums) {
  constexpr double kNormal = 3;
  const double n = sums.weight();
  const double variance = sums.variance();
  if (!(n > 0) || !(variance > 0)) return 1;
  const double mean = sums.sum() / n;  // of u
  const double fourth =
      sums.fourth / n - mean * (4 * sums.cube / n - mean * (6 * sums.square / n - 3 * mean * mean));
  return std::max(1.0, fourth / (kNormal * variance * variance));
}

}  // namespace glimpse
