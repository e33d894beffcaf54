#include "learn/small_models/forward_selection.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace glimpse {

ForwardSelection::ForwardSelection(std::span<const float> covariances, std::span<const double> target,
                                   double variance, double ridge)
    : covariances_(covariances),
      ridge_(ridge),
      left_(variance),
      least_(target.size()),
      target_(target.begin(), target.end()),
      variance_(target.size()) {
  for (std::size_t i = 0; i < dimension(); ++i) {
    variance_[i] = covariance(i, i) + ridge_;
    least_[i] = kLeastLeft * variance_[i];
  }
}

double ForwardSelection::covariance(std::size_t i, std::size_t j) const {
  const auto [first, second] = std::minmax(i, j);
  return static_cast<double>(covariances_[first * dimension() + second]);
}

void ForwardSelection::read_row(std::size_t i, std::span<double> row) const {
  const std::size_t d = dimension();
  for (std::size_t j = 0; j < i; ++j) row[j] = static_cast<double>(covariances_[j * d + i]);
  for (std::size_t j = i; j < d; ++j) row[j] = static_cast<double>(covariances_[i * d + j]);
}

double ForwardSelection::residual(std::size_t i, std::size_t j) const {
  if (i == j) return variance_[i];
  double sum = covariance(i, j);
  for (const std::vector<double>& column : columns_) sum -= column[i] * column[j];
  const double most = std::sqrt(variance_[i] * variance_[j]);
  return std::clamp(sum, -most, most);
}

double ForwardSelection::gain(std::span<const std::size_t> features) const {
  if (features.size() == 1) return gain(features.front());
  const auto m = static_cast<Eigen::Index>(features.size());
  Eigen::MatrixXd left(m, m);
  Eigen::VectorXd target(m);
  for (Eigen::Index a = 0; a < m; ++a) {
    const std::size_t i = features[static_cast<std::size_t>(a)];
    target[a] = target_[i];
    for (Eigen::Index b = a; b < m; ++b)
      left(a, b) = left(b, a) = residual(i, features[static_cast<std::size_t>(b)]);
    left(a, a) += kLeastLeft * variance_[i];
  }
  const Eigen::LDLT<Eigen::MatrixXd> solver(left);
  return solver.isPositive() ? std::clamp(target.dot(solver.solve(target)), 0.0, left_) : 0;
}

void ForwardSelection::add(std::size_t i) {
  const std::size_t d = dimension();
  std::vector<double> column(d);
  read_row(i, column);
  for (const std::vector<double>& earlier : columns_) {
    const double factor = earlier[i];
    for (std::size_t j = 0; j < d; ++j) column[j] -= factor * earlier[j];
  }
  const double root = std::sqrt(variance_[i]);
  const double most_solved = std::sqrt(left_);
  const double solved = root > 0 ? std::clamp(target_[i] / root, -most_solved, most_solved) : 0;
  left_ = std::max(left_ - solved * solved, 0.0);
  for (std::size_t j = 0; j < d; ++j) {
    const double most = std::sqrt(variance_[j]);
    column[j] = root > 0 ? std::clamp(column[j] / root, -most, most) : 0;
    target_[j] -= column[j] * solved;
    variance_[j] = std::max(variance_[j] - column[j] * column[j], least_[j]);
  }
  column[i] = root;
  target_[i] = 0;
  variance_[i] = 0;
  for (const std::size_t j : chosen_) {
    column[j] = 0;
    target_[j] = 0;
    variance_[j] = 0;
  }
  chosen_.push_back(i);
  columns_.push_back(std::move(column));
}

}  // namespace glimpse
