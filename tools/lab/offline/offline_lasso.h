#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "base/result.h"
#include "lab/offline/normal_equations.h"

namespace glimpse {

/// The minimisers of ½·mean (⟨w, x⟩ − y)² over ‖w‖₁ ≤ B for each of `radii` (> 0, ascending; infinity for no
/// constraint): what lasso learners are compared with (KS15 §5, "offline lasso").
///
/// The homotopy method (Osborne, Presnell & Turlach, "A new approach to variable selection in least squares
/// problems", 2000): as B grows from 0 the solution is piecewise linear. The correlations c = b − Aw of the
/// active attributes are tied at ±λ, λ = ‖c‖∞. It is followed from one join or leave to the next, with a
/// Cholesky factor of the active part that is updated, not computed again; all radii come from one walk. A
/// little is added to the diagonal (1e-12 of its largest), so that attributes that are copies or combinations
/// of others keep the factor sound; each solution is polished on A itself afterwards. Cost: O(d·a) a step, a
/// being the number of active attributes, after O(d²) to begin; memory O(d²).
///
/// An Error (kUnavailable) when the walk does not end within 20·d + 1000 steps.
Result<std::vector<Eigen::VectorXd>> offline_lasso(const NormalEquations& equations,
                                                   std::span<const double> radii);

/// How far w is from optimal over ‖w‖₁ ≤ B: the Frank–Wolfe gap B·‖c‖∞ − ⟨c, w⟩, c = b − Aw. An upper bound
/// on the excess of the objective; 0 exactly where the KKT conditions hold. For w in the ball.
double lasso_gap(const NormalEquations& equations, const Eigen::VectorXd& w, double radius);

}  // namespace glimpse
