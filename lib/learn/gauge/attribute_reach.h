#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace glimpse {

/// How far an attribute is believed that was seen with values of up to `largest`.
inline double reach_of(double largest) {
  constexpr double kReach = 1.5;
  return kReach * largest;
}

/// How far a model that was solved for from a few examples is believed in an attribute: to 1.5 times the
/// largest absolute value that it was seen with; what is beyond counts as that. `largest`: 0 or less where
/// nothing but 0 was seen; NaN stays NaN.
///
/// After n values the next is beyond the largest of them with a chance of 1/(n + 1), and no value seen tells
/// by how much. Where tails are heavy, a weight that fits all values so far can be hundreds of times too
/// large for the next. A linear model's only answer is to distrust every attribute seen a few times. What the
/// factor gains: pairwise/EXPERIMENTS.md.
inline double within_reach(double value, double largest) {
  const double bound = reach_of(largest);
  return largest > 0 ? std::clamp(value, -bound, bound) : value;
}

/// How far a learner's answers believe in an attribute now, in the user's units: Learner::reach().
struct AttributeReach {
  double largest = 0;  ///< of within_reach()
  /// A value outside of [low, high] would be left out as wild if it came to be learned from (ValueGauge). It
  /// counts as missing, which costs what the attribute explains and no more.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// NaN, for missing, beyond `low` and `high`; else as above.
inline double within_reach(double value, const AttributeReach& reach) {
  return value < reach.low || value > reach.high ? NAN : within_reach(value, reach.largest);
}

}  // namespace glimpse
