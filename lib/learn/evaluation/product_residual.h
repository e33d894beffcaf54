#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "learn/core/plan.h"

namespace glimpse {

/// distinct_squared_error() for a model of attributes and of products of two of them. It takes two draws k
/// and k + 1 for an estimate of the prediction:
///
///     t_k = S_k + c_k·(z_k + Σ_{l<k} z_lk) + ½·c_k·c_{k+1}·z_{k,k+1}
///
/// S_k: the terms of the draws before k, alone and together. z_k: what the attribute of draw k alone adds to
/// the prediction, its square included; z_kl: what two of them together add; c: the draws' coefficients.
/// Given the draws before k the expectation of c_k·z_k is the sum of z over the attributes that are left, and
/// that of c_k·c_{k+1}·z_{k,k+1} the sum over their ordered pairs. So e_k·e_l, e = t − rest, is unbiased for
/// the squared error where l ≥ k + 2. All such pairs are averaged, with weights that fall as the variances
/// do.
///
/// `single(a)` and `pair(a, b)`: z, by positions in the plan. REQUIRES: four draws, or all of `population`;
/// NaN else. O(K²).
template <class Single, class Pair>
double product_squared_error(std::span<const Draw> draws, std::size_t population, double rest,
                             const Single& single, const Pair& pair) {
  double seen = 0;    // S_k
  double sum = 0;     // Σ_{k} w_k·e_k of those two draws before, …
  double before = 0;  // … and of the last one
  double sum_weight = 0;
  double before_weight = 0;
  double total = 0;
  double weights = 0;
  for (std::size_t k = 0; k < draws.size(); ++k) {
    double z = single(draws[k].position);
    for (std::size_t l = 0; l < k; ++l) z += pair(draws[l].position, draws[k].position);
    if (k + 1 < draws.size()) {
      const double next = draws[k].coefficient * draws[k + 1].coefficient / 2 *
                          pair(draws[k].position, draws[k + 1].position);
      const double share = static_cast<double>(population) / static_cast<double>(population - k) *
                           (static_cast<double>(population) / static_cast<double>(population - k - 1));
      const double weight = share * share;
      const double e = weight * (seen + draws[k].coefficient * z + next - rest);
      total += sum * e;
      weights += sum_weight * weight;
      sum += before;
      sum_weight += before_weight;
      before = e;
      before_weight = weight;
    }
    seen += z;
  }
  if (draws.size() == population) return (seen - rest) * (seen - rest);
  return weights > 0 ? total / weights : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace glimpse
