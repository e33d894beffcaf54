#pragma once

#include <span>

#include "lab/data/dense_set.h"
#include "learn/core/model.h"

namespace glimpse {

/// A ridge regression, and how its λ was chosen.
struct LeaveOneOutRidge {
  Model model;        ///< with an intercept
  double ridge = 0;   ///< λ, for attributes of mean 0 and variance 1 and the mean of squares; infinity: the
                      ///< model is the labels' mean
  double square = 0;  ///< mean square of the errors on each example by the model of all others
};

/// Offline ridge with nothing to tune, from whole examples: what a learner that looks at parts is compared
/// with. Minimises mean (ȳ + ⟨w, z⟩ − y)² + λ‖w‖₂², with each attribute centred and divided by its deviation
/// over these rows (w is 0 for one that is constant). λ is a power of two from 2⁻²⁰ to 2⁸, or infinity: the
/// one with the least leave-one-out error, and of equals the largest. The error of example i is e_i/(1 −
/// h_i), which is exact for the regression without it, with the centres and deviations of all (Allen's PRESS;
/// Golub, Heath & Wahba, 1979).
///
/// REQUIRES rows. Cost: O(n·d² + d³), O(n²·d + n³) for n ≤ d. Memory: O(d²), O(n·d) for n ≤ d. Deterministic.
LeaveOneOutRidge leave_one_out_ridge(const DenseSet& set, std::span<const std::uint32_t> rows);

}  // namespace glimpse
