#pragma once

#include <span>
#include <vector>

#include "learn/linalg/packed_symmetric.h"

namespace glimpse {

/// Where minimise_on_l1_ball() ended.
struct L1Minimum {
  std::vector<double> w;
  double objective = 0;     ///< f(w)
  double gap = 0;           ///< max over ‖v‖₁ ≤ B of ⟨∇f(w), w − v⟩ ≥ 0; 0 exactly where w is stationary
  bool stationary = false;  ///< gap ≤ tolerance, see below, and all of w and f(w) is finite
  int products = 0;         ///< matrix-vector products taken
};

/// A stationary point of f(w) = wᵀAw − bᵀw on ‖w‖₁ ≤ radius, for any symmetric A, indefinite or not.
///
/// Guarantees: ‖w‖₁ ≤ radius up to rounding; f(w) ≤ 0 = f(0) and f(w) ≤ f(±radius·e_i) for each i; and
/// first-order stationarity, gap ≤ 10⁻¹²·(radius·max|b_i| + radius²·max|A_ij|). Stationarity is lacking where
/// the products run out first; L1Minimum::stationary then says so. For positive semidefinite A the gap bounds
/// f(w) − min f; for indefinite A other stationary points may be lower: finding the lowest is NP-hard. A pure
/// function of its arguments. A, b and radius may be as small or as large as doubles get: powers of two are
/// taken out first, so that only what is returned must be in their range.
///
/// Two descents start from 0 and from the best vertex ±radius·e_i, and the better result is returned. Each
/// alternates a projected-gradient step with conjugate gradients on the face that it found (Moré & Toraldo
/// 1991 do so for boxes). The projected-gradient step (with the step length of Barzilai & Borwein 1988, and
/// exact line search on the segment) finds out which weights are zero. Conjugate gradients converge fast on
/// the face. f falls in every step; by rounding at worst it stays.
///
/// Cost: 2 × at most 1,000 products of n² multiply-adds, most often some tens; O(n) memory. Finite numbers,
/// radius > 0. `trace`: gets the objective before and after every step of the descent that is returned.
L1Minimum minimise_on_l1_ball(const PackedSymmetric& a, std::span<const double> b, double radius,
                              std::vector<double>* trace = nullptr);

}  // namespace glimpse
