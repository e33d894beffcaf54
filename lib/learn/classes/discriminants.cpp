#include "learn/classes/discriminants.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

namespace glimpse {

namespace {

using Matrix = Eigen::MatrixXd;
using View = Eigen::Map<const Matrix>;

// (I − H)⁻¹ with H's eigenvalues less `in_sample`.
Matrix within_inverse(const Matrix& h, double in_sample) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(h);
  if (eigen.info() != Eigen::Success) return Matrix::Identity(h.rows(), h.cols());
  Eigen::VectorXd inverse = eigen.eigenvalues();
  for (double& value : inverse) value = 1 / (1 - std::clamp(value - in_sample, 0.0, kMostExplained));
  return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace

ClassModel discriminants(const ClassTargets& targets) {
  const auto classes = static_cast<Eigen::Index>(targets.counts.size());
  const auto slots = static_cast<Eigen::Index>(targets.centres.size());
  ClassModel model = class_priors(targets.counts);
  model.weights.resize(targets.weights.size());
  const View w(targets.weights.data(), slots, classes);
  const View b(targets.covariances.data(), slots, classes);
  const double all = std::accumulate(targets.counts.begin(), targets.counts.end(), 0.0);
  Eigen::VectorXd roots(classes);  // 1/√π
  for (Eigen::Index c = 0; c < classes; ++c) {
    const double count = targets.counts[static_cast<std::size_t>(c)];
    roots[c] = count > 0 ? std::sqrt(all / count) : 0;
  }
  const Matrix products = roots.asDiagonal() * (b.transpose() * w) * roots.asDiagonal();
  const Matrix inverse = within_inverse((products + products.transpose()) / 2, targets.in_sample);
  const Matrix scores = w * roots.asDiagonal() * inverse * roots.asDiagonal();
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> by_slot(
      model.weights.data(), slots, classes);
  by_slot = scores;
  const Eigen::Map<const Eigen::VectorXd> centres(targets.centres.data(), slots);
  for (Eigen::Index c = 0; c < classes; ++c) {
    const double distance = roots[c] * roots[c] * b.col(c).dot(scores.col(c));
    model.biases[static_cast<std::size_t>(c)] -= distance / 2 + scores.col(c).dot(centres);
  }
  return model;
}

}  // namespace glimpse
