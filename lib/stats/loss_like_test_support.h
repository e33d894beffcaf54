#pragma once

#include "base/random.h"

// Numbers as the squared-error estimates of learners are.
namespace glimpse::loss_like_test_support {

/// Mean 0, variance 1, nearly normal.
inline double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return sum;
}

/// As those of a budgeted learner are: products of two numbers, one in fifty of which is ten times as large.
/// Mean 1, standard deviation about 6.
inline double heavy(Random& random) {
  const auto factor = [&] { return (random.below(50) == 0 ? 10 : 1) * normal(random); };
  return 1 + factor() * factor();
}

}  // namespace glimpse::loss_like_test_support
