#pragma once

#include <limits>

#include <Eigen/Core>

#include "lab/offline/normal_equations.h"

namespace glimpse {

/// The minimiser of ½·mean (⟨w, x⟩ − y)² over ‖w‖₂ ≤ B, for any number of B: what ridge learners are compared
/// with (KS15 §5, "offline ridge").
///
/// From A = QΛQᵀ and β = Qᵀb: where the least-squares solution of least norm, A⁺b, is inside the ball it is
/// the answer. Otherwise w = (A + μI)⁻¹b with the μ > 0 that makes ‖w‖₂ = B, the root of the secular equation
/// Σ β_i²/(λ_i + μ)² = B². Newton's iteration on 1/‖w‖ finds it (Conn, Gould & Toint, "Trust-Region Methods",
/// 2000, §7.3). 1/‖w‖ is concave there, so the iteration converges from μ = 0 without safeguards. Eigenvalues
/// below d·ε of the largest count as 0. Cost: O(d³) once, O(d²) a radius. Thread-safety: calls are const.
class OfflineRidge {
 public:
  explicit OfflineRidge(const NormalEquations& equations);

  /// REQUIRES radius > 0, infinity for no constraint.
  Eigen::VectorXd solve(double radius = std::numeric_limits<double>::infinity()) const;

 private:
  Eigen::MatrixXd q_;       // eigenvectors of the eigenvalues that are not 0, d × r
  Eigen::VectorXd lambda_;  // those, r
  Eigen::VectorXd beta_;    // Qᵀb, r
};

/// How far w is from optimal over ‖w‖₂ ≤ B: the Frank–Wolfe gap B·‖c‖₂ − ⟨c, w⟩, c = b − Aw. An upper bound
/// on the excess of the objective; 0 exactly where the KKT conditions hold. For w in the ball.
double ridge_gap(const NormalEquations& equations, const Eigen::VectorXd& w, double radius);

}  // namespace glimpse
