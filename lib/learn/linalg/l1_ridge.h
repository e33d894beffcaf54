#pragma once

#include <span>
#include <vector>

namespace glimpse {

/// f(w) = ½wᵀ(λI + ZZᵀ)w − bᵀw over n weights, Z of k columns.
struct RidgeQuadratic {
  double ridge = 0;                 ///< λ > 0
  std::span<const double> factors;  ///< the columns of Z, one after another: k·n numbers
  std::span<const double> target;   ///< b: n numbers
};

/// The minimum of a RidgeQuadratic on ‖w‖₁ ≤ radius, by a Newton method in the k coordinates of Zᵀw.
///
/// Naively one would descend in w: with λ far below the eigenvalues of ZZᵀ that takes thousands of steps.
/// The dual has k unknowns alone: with v for Zᵀw, minimise
///
///     G(v) = ½‖v‖² + max over ‖w‖₁ ≤ B of (b − Zv)ᵀw − ½λ‖w‖²,
///
/// whose maximum is the projection w(v) of (b − Zv)/λ onto the ball, so that ∇G = v − Zᵀw(v). ∇G is piecewise
/// linear: on the piece where the weights A are not 0, with signs s, its slope is I + Z_Aᵀ(I − ssᵀ/|A|)Z_A/λ
/// (without the term in s inside the ball). Newton's steps on it, with backtracking, end after some ten: a
/// semismooth Newton method, as of Li, Sun & Toh, "A highly efficient semismooth Newton augmented Lagrangian
/// method for solving Lasso problems" (2018).
///
/// w(v) is always inside the ball, and f(w(v)) + G(v) = ½‖v − Zᵀw(v)‖² bounds f(w(v)) − min f: the stop is by
/// that gap. Cost of a step: O(|A|·k² + k·n + n log n). Deterministic. Thread-safety: none; memory is kept.
class L1Ridge {
 public:
  /// A minimiser, and how good it is.
  struct Result {
    double objective = 0;    ///< f(w)
    double gap = 0;          ///< f(w) − min f is at most this
    int steps = 0;           ///< of Newton
    bool converged = false;  ///< gap ≤ 10⁻¹²·|f(w)|; false where rounding, or kMostSteps, came before
  };
  static constexpr int kMostSteps = 200;

  /// `w` ← the minimum; from where the search starts before. Finite numbers, radius > 0.
  Result minimise(const RidgeQuadratic& f, double radius, std::span<double> w);

 private:
  struct Point {
    double dual = 0;        // G(v)
    double objective = 0;   // f(w(v))
    std::vector<double> v;  // k numbers
    std::vector<double> gradient;
    std::vector<double> w;
    bool inside = false;  // the projection had nothing to do
  };
  void evaluate(const RidgeQuadratic& f, double radius, Point& point);
  void newton_step(const RidgeQuadratic& f, const Point& point);

  Point here_;
  Point next_;
  std::vector<double> step_;
  std::vector<double> columns_;  // Z_A, packed
  std::vector<double> scratch_;
};

}  // namespace glimpse
