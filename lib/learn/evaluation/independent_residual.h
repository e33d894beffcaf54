#pragma once

#include <cstddef>
#include <span>

#include "learn/core/plan.h"

namespace glimpse {

/// As distinct_squared_error(), for draws with replacement: coefficient 1/(k·probability) for each of the k ≥
/// 2 draws. The residuals e_r = z_r/probability_r − rest are independent, each with the model's as its mean,
/// so that e_a·e_b is unbiased for the squared error for every a ≠ b; all pairs are averaged. O(k).
template <class Term>
double independent_squared_error(std::span<const Draw> draws, double rest, const Term& term) {
  const auto k = static_cast<double>(draws.size());
  double sum = 0;
  double squares = 0;
  for (const Draw& draw : draws) {
    const double e = k * draw.coefficient * term(draw.position) - rest;
    sum += e;
    squares += e * e;
  }
  return (sum * sum - squares) / (k * (k - 1));
}

}  // namespace glimpse
