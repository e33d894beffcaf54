#pragma once

#include <span>

#include <Eigen/Core>

#include "lab/data/dense_set.h"

namespace glimpse {

/// The quadratic ½·mean (⟨w, x⟩ − y)² = ½wᵀAw − bᵀw + ½c over some examples: all that an offline solver needs
/// of them. With a bias there is one more attribute, the last, that is always 1.
struct NormalEquations {
  Eigen::MatrixXd a;  ///< A = mean xxᵀ, d × d, symmetric positive semidefinite
  Eigen::VectorXd b;  ///< mean yx
  double c = 0;       ///< mean y²
};

/// Of the rows named. O(n·d²) time, in blocks that hold 256 rows.
NormalEquations normal_equations(const DenseSet& set, std::span<const std::uint32_t> rows, bool bias);

/// ½wᵀAw − bᵀw + ½c.
double objective(const NormalEquations& equations, const Eigen::VectorXd& w);

}  // namespace glimpse
