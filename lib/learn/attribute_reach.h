#pragma once

#include <algorithm>

namespace glimpse {

/// How far a model that was solved for from a few examples is believed in an attribute: to 1.5 times the
/// largest absolute value that it was seen with; what is beyond counts as that. `largest`: 0 or less where
/// nothing but 0 was seen; NaN stays NaN.
///
/// After n values one in n + 1 is beyond the largest of them, and by how much nothing tells that was seen:
/// where tails are heavy, a weight that fits all values so far can be hundreds of times too long for the
/// next, and a linear model has no other answer than to distrust every attribute seen a few times. What the
/// factor gains: PAIRWISE.md.
inline double within_reach(double value, double largest) {
  constexpr double kReach = 1.5;
  const double bound = kReach * largest;
  return largest > 0 ? std::clamp(value, -bound, bound) : value;
}

}  // namespace glimpse
