#include "learn/covariance/settled_attributes.h"

#include <algorithm>

namespace glimpse {

std::vector<bool> too_young(std::span<const std::uint64_t> ages) {
  std::vector<std::uint64_t> sorted(ages.begin(), ages.end());
  std::sort(sorted.begin(), sorted.end());
  double all = 0;
  for (const std::uint64_t age : sorted) all += static_cast<double>(age);
  std::uint64_t median = 0;
  double seen = 0;
  for (const std::uint64_t age : sorted) {
    seen += static_cast<double>(age);
    median = age;
    if (seen >= all / 2) break;
  }
  std::vector<bool> result(ages.size());
  for (std::size_t s = 0; s < ages.size(); ++s) result[s] = ages[s] < median / 4;
  return result;
}

}  // namespace glimpse
