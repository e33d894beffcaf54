#pragma once

#include <algorithm>
#include <cstddef>

#include "base/types.h"

namespace glimpse {

/// How far a distribution over attributes is from the uniform one. Of those that can be drawn: chances above
/// 0.
struct SamplingSpread {
  double ratio = 1;      ///< the largest chance over the smallest; 1: uniform
  double effective = 0;  ///< attributes: 1/Σq², Kish's effective number; uniform over n of them: n
  double possible = 0;   ///< attributes that can be drawn at all

  /// Less even than a distribution that prefers nothing is by chance, where it was planned from so many looks
  /// at each attribute in the mean.
  bool prefers(double looks) const { return effective < possible * (1 - kVisible - kByChance / looks); }

 private:
  static constexpr double kVisible = 0.02;  // a standard deviation of 14 %; a table's rounding is 1 % at most
  // ∝ √ of variances that n normal numbers tell: 1/(2n) of the attributes are missing by chance.
  static constexpr double kByChance = 0.5;
};

/// Of d attributes, `chance`(i) ≥ 0 up to a common factor. O(d).
template <class Chance>
SamplingSpread spread_of(std::size_t dimension, const Chance& chance) {
  double sum = 0;
  double squares = 0;
  double least = 0;
  double most = 0;
  SamplingSpread spread;
  for (std::size_t i = 0; i < dimension; ++i) {
    const double q = chance(static_cast<Attribute>(i));
    if (!(q > 0)) continue;
    sum += q;
    squares += q * q;
    least = spread.possible > 0 ? std::min(least, q) : q;
    most = std::max(most, q);
    ++spread.possible;
  }
  if (!(squares > 0)) return spread;
  spread.ratio = most / least;
  spread.effective = sum * sum / squares;
  return spread;
}

}  // namespace glimpse
