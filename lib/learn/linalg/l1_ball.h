#pragma once

#include <span>
#include <vector>

namespace glimpse {

/// w ← the nearest point (in ‖·‖₂) with ‖w‖₁ ≤ radius, in place. Every |w_i| is lowered by one threshold and
/// stops at 0. (Duchi, Shalev-Shwartz, Singer & Chandra, "Efficient projections onto the l1-ball for learning
/// in high dimensions", 2008, Figure 1.) Finite numbers, radius > 0. `work` is scratch that may be reused.
/// O(n log n), O(n) inside the ball. Thread-safety: that of its arguments.
void project_onto_l1_ball(std::span<double> w, double radius, std::vector<double>& work);

/// Σ|w_i|.
double l1_norm(std::span<const double> w);

}  // namespace glimpse
