#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "learn/core/plan.h"

namespace glimpse {

/// What the inner-product draws of a plan say about ⟨w, x⟩ + offset − y.
struct PairResidual {
  double phi;            ///< φ̃, unbiased
  double squared_error;  ///< unbiased for the square of the residual; NaN when one draw alone was made
};

/// φ̃ = Σ_r coefficient·x + offset − y, and from its `draws` independent terms the mean of r_a·r_b over pairs
/// a ≠ b, as r_a = draws·coefficient_a·x_a + offset − y each have the true residual as their mean. A plan
/// without inner-product draws knows its residual exactly. scale(position) multiplies the coefficients of the
/// attribute there, for weights that have changed since the plan was made. O(draws).
template <class Scale>
PairResidual pair_residual(const Plan& plan, std::span<const double> values, double label,
                           std::uint32_t draws, const Scale& scale) {
  const double rest = plan.offset - label;
  const double k = draws;
  double sum = 0;
  double squares = 0;
  for (const Draw& draw : plan.inner_product) {
    const double term = draw.coefficient * scale(draw.position) * values[draw.position];
    sum += term;
    squares += (term * k + rest) * (term * k + rest);
  }
  const double phi = sum + rest;
  if (plan.inner_product.empty()) return {phi, phi * phi};
  return {phi, draws > 1 ? (k * k * phi * phi - squares) / (k * (k - 1)) : NAN};
}

}  // namespace glimpse
