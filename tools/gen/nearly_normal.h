#pragma once

#include "base/random.h"

namespace glimpse {

/// A number close to a standard normal one: the sum of twelve uniform numbers less 6. Mean 0 and variance 1
/// exactly, close to normal within three deviations, never beyond 6, and the same on every machine, which
/// logarithms and cosines are not.
inline double nearly_normal(Random& random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.uniform();
  return sum;
}

}  // namespace glimpse
