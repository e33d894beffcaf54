#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "learn/core/plan.h"

namespace glimpse {

/// distinct_squared_error() for a model of attributes and of products of two or three of them. It takes as
/// many draws for an estimate of the prediction as a product has factors, k and k + 1, or k to k + 2:
///
///     t_k = S_k + c_k·(z_k + Σ_{l<k} z_lk + Σ_{h<l<k} z_hlk)
///           + ½·c_k·c_{k+1}·(z_{k,k+1} + Σ_{l<k} z_{l,k,k+1}) + ⅙·c_k·c_{k+1}·c_{k+2}·z_{k,k+1,k+2}
///
/// S_k: the terms of the draws before k, alone and together. z_k: what the attribute of draw k alone adds to
/// the prediction, its square and cube included; z_kl, z_hkl: what two and three of them together add; c: the
/// draws' coefficients. Given the draws before k the expectation of c_k·z_k is the sum of z over the
/// attributes that are left, and those of the products of coefficients are sums over their ordered pairs and
/// triples. So e_k·e_l, e = t − rest, is unbiased for the squared error where l ≥ k + 2, or k + 3. All such
/// pairs are averaged, with weights that fall as the variances do.
///
/// `terms`: how many attributes there are (population()), and by positions in the plan single(a), pair(a, b)
/// and, where degree() is 3, triple(a, b, c). REQUIRES: four draws, six where the degree is 3, or all of the
/// population; NaN else. O(K²) or O(K³).
template <class Terms>
double product_squared_error(std::span<const Draw> draws, double rest, const Terms& terms) {
  const auto population = static_cast<double>(terms.population());
  const std::size_t degree = terms.degree();
  double seen = 0;         // S_k
  double sum = 0;          // Σ_k w_k·e_k of those `degree` draws before, …
  double waiting[3] = {};  // … and of the last ones
  double sum_weight = 0;
  double waiting_weight[3] = {};
  double total = 0;
  double weights = 0;
  for (std::size_t k = 0; k < draws.size(); ++k) {
    const std::uint32_t at = draws[k].position;
    double z = terms.single(at);
    for (std::size_t l = 0; l < k; ++l) {
      z += terms.pair(draws[l].position, at);
      if (degree < 3) continue;
      for (std::size_t h = 0; h < l; ++h) z += terms.triple(draws[h].position, draws[l].position, at);
    }
    if (k + degree <= draws.size()) {
      const std::uint32_t next = draws[k + 1].position;
      double pair = terms.pair(at, next);
      if (degree > 2)
        for (std::size_t l = 0; l < k; ++l) pair += terms.triple(draws[l].position, at, next);
      double beyond = draws[k].coefficient * draws[k + 1].coefficient / 2 * pair;
      double share = 1;
      for (std::size_t l = k; l < k + degree; ++l)
        share *= population / (population - static_cast<double>(l));
      if (degree > 2)
        beyond += draws[k].coefficient * draws[k + 1].coefficient * draws[k + 2].coefficient / 6 *
                  terms.triple(at, next, draws[k + 2].position);
      const double weight = share * share;
      const double e = weight * (seen + draws[k].coefficient * z + beyond - rest);
      const std::size_t place = k % degree;
      sum += waiting[place];
      sum_weight += waiting_weight[place];
      total += sum * e;
      weights += sum_weight * weight;
      waiting[place] = e;
      waiting_weight[place] = weight;
    }
    seen += z;
  }
  if (draws.size() == terms.population()) return (seen - rest) * (seen - rest);
  return weights > 0 ? total / weights : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace glimpse
