#include "learn/importance/category_importance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>

namespace glimpse {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Index as_index(std::size_t i) { return static_cast<Eigen::Index>(i); }

// What a Krylov space knows of the features of one attribute.
struct Block {
  MatrixXd inverse;  // (A⁻¹)_FF
  MatrixXd between;  // (A⁻¹Ĉ₊A⁻¹)_FF
};

// z: a row for each eigenvector, a column for each feature. Outside the space f(A) counts as √f·(I − zᵀz)·√f,
// with f of each feature's own tail.
Block block_of(const MatrixXd& z, std::span<const double> eigenvalues, const VectorXd& covariance,
               double ridge) {
  VectorXd theta(z.rows());
  VectorXd f(z.rows());
  VectorXd positive(z.rows());
  for (Eigen::Index k = 0; k < z.rows(); ++k) {
    theta[k] = eigenvalues[static_cast<std::size_t>(k)];
    positive[k] = std::max(theta[k], 0.0);
    f[k] = 1 / (positive[k] + ridge);
  }
  const MatrixXd outside = MatrixXd::Identity(z.cols(), z.cols()) - z.transpose() * z;
  const VectorXd known = z.cwiseAbs2().transpose() * theta;
  VectorXd inverse_root = VectorXd::Zero(z.cols());
  VectorXd between_root = VectorXd::Zero(z.cols());
  for (Eigen::Index i = 0; i < z.cols(); ++i) {
    if (!(outside(i, i) > kNothingOutside)) continue;
    const double tail = std::max(covariance[i] - known[i], 0.0) / outside(i, i);
    inverse_root[i] = std::sqrt(1 / (tail + ridge));
    between_root[i] = std::sqrt(tail) / (tail + ridge);
  }
  return {
      z.transpose() * f.asDiagonal() * z + inverse_root.asDiagonal() * outside * inverse_root.asDiagonal(),
      z.transpose() * f.cwiseAbs2().cwiseProduct(positive).asDiagonal() * z +
          between_root.asDiagonal() * outside * between_root.asDiagonal()};
}

}  // namespace

void add_category_importances(const FeatureMap& features, const SolvedFor& solution, const KrylovSpace& space,
                              double ridge, std::span<const double> variances, Importances& importances) {
  if (features.is_plain()) return;
  const std::size_t d = solution.weights.size();
  std::vector<double> vectors;  // eigenvector after eigenvector
  space.factors([](double) { return 1.0; }, vectors);
  const std::size_t steps = d == 0 ? 0 : vectors.size() / d;
  const double factor = solution.shrink * (2 - solution.shrink) / solution.label_variance;
  for (std::size_t attribute = 0; attribute < features.attributes(); ++attribute) {
    if (!features.is_category(attribute)) continue;
    std::vector<std::size_t> slots;
    for (const std::uint32_t slot : features.indicators(attribute))
      if (slot != FeatureMap::kNone && !std::isnan(variances[slot])) slots.push_back(slot);
    if (slots.empty() || slots.size() > kMostWeighedTogether) continue;

    const Eigen::Index size = as_index(slots.size());
    MatrixXd z(as_index(steps), size);
    VectorXd covariance(size);
    VectorXd weights(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      const std::size_t slot = slots[static_cast<std::size_t>(i)];
      covariance[i] = solution.variance[slot];
      weights[i] = solution.weights[slot];
      for (std::size_t k = 0; k < steps; ++k) z(as_index(k), i) = vectors[k * d + slot];
    }
    const Block block = block_of(z, space.eigenvalues(), covariance, ridge);
    VectorXd scale(size);  // of the covariances between weights
    for (Eigen::Index i = 0; i < size; ++i) {
      const double own = block.between(i, i);
      scale[i] = own > 0 ? std::sqrt(variances[slots[static_cast<std::size_t>(i)]] / own) : 0;
    }
    const MatrixXd doubt = scale.asDiagonal() * block.between * scale.asDiagonal();
    const Eigen::LDLT<MatrixXd> solver(block.inverse);
    const VectorXd needed = solver.solve(weights);  // B·w
    const MatrixXd of_noise = solver.solve(doubt);  // B·V
    importances.shares[attribute] = factor * std::max(weights.dot(needed), 0.0);
    if (solution.shrink > 0)
      importances.errors[attribute] =
          factor *
          std::sqrt(std::max(
              4 * needed.dot(doubt * needed) + 2 * of_noise.cwiseProduct(of_noise.transpose()).sum(), 0.0));
  }
}

}  // namespace glimpse
