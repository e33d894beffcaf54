#include "learn/small_models/backward_elimination.h"

#include <algorithm>

#include <Eigen/Cholesky>

namespace glimpse {

namespace {

std::vector<Eigen::Index> indices(std::span<const std::size_t> places) {
  return {places.begin(), places.end()};
}

}  // namespace

BackwardElimination::BackwardElimination(std::span<const float> covariances, std::span<const double> target,
                                         double ridge, std::span<const std::size_t> features) {
  const std::size_t d = target.size();
  const auto n = static_cast<Eigen::Index>(features.size());
  Eigen::MatrixXd a(n, n);
  Eigen::VectorXd b(n);
  for (Eigen::Index x = 0; x < n; ++x) {
    const std::size_t i = features[static_cast<std::size_t>(x)];
    b[x] = target[i];
    for (Eigen::Index y = x; y < n; ++y) {
      const auto [first, second] = std::minmax(i, features[static_cast<std::size_t>(y)]);
      a(x, y) = a(y, x) = static_cast<double>(covariances[first * d + second]);
    }
    a(x, x) += ridge;
  }
  inverse_ = a.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
  weights_ = inverse_ * b;
  explained_ = std::max(b.dot(weights_), 0.0);
}

double BackwardElimination::rise(std::span<const std::size_t> places) const {
  const auto at = indices(places);
  const Eigen::VectorXd w = weights_(at);
  const Eigen::MatrixXd block = inverse_(at, at);
  return std::max(w.dot(block.ldlt().solve(w)), 0.0);
}

void BackwardElimination::remove(std::span<const std::size_t> places) {
  const auto at = indices(places);
  const Eigen::MatrixXd columns = inverse_(Eigen::all, at);
  const Eigen::MatrixXd block = inverse_(at, at);
  const Eigen::VectorXd w = weights_(at);
  const Eigen::LDLT<Eigen::MatrixXd> solver(block);
  weights_ -= columns * solver.solve(w);
  inverse_ -= columns * solver.solve(columns.transpose());
  for (const Eigen::Index i : at) {
    weights_[i] = 0;
    inverse_.row(i).setZero();
    inverse_.col(i).setZero();
  }
}

}  // namespace glimpse
