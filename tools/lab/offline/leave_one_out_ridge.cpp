#include "lab/offline/leave_one_out_ridge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>

namespace glimpse {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kLeastRidge = -20;  // of two
constexpr int kMostRidge = 8;
constexpr Index kRidges = kMostRidge - kLeastRidge + 1;

// The rows as the regression sees them.
class Standardised {
 public:
  Standardised(const DenseSet& set, std::span<const std::uint32_t> rows)
      : set_(set),
        rows_(rows),
        centre_(VectorXd::Zero(static_cast<Index>(set.dimension))),
        factor_(VectorXd::Zero(static_cast<Index>(set.dimension))) {
    const auto n = static_cast<double>(rows.size());
    for (const std::uint32_t row : rows) {
      mean_ += set.labels[row] / n;
      for (Index j = 0; j < dimension(); ++j) centre_[j] += value(row, j) / n;
    }
    VectorXd squares = VectorXd::Zero(dimension());
    for (const std::uint32_t row : rows)
      for (Index j = 0; j < dimension(); ++j)
        squares[j] += (value(row, j) - centre_[j]) * (value(row, j) - centre_[j]);
    for (Index j = 0; j < dimension(); ++j) {
      // Less than what rounding leaves of a constant counts as 0.
      const double deviation = std::sqrt(squares[j] / n);
      if (deviation > 1e-12 * std::abs(centre_[j])) factor_[j] = 1 / deviation;
    }
  }

  Index size() const { return static_cast<Index>(rows_.size()); }
  Index dimension() const { return static_cast<Index>(set_.dimension); }
  double mean() const { return mean_; }
  double label(Index i) const { return set_.labels[rows_[static_cast<std::size_t>(i)]] - mean_; }

  // Rows `begin` to `begin + count`, one a row.
  MatrixXd block(Index begin, Index count) const {
    MatrixXd z(count, dimension());
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < dimension(); ++j)
        z(i, j) = (value(rows_[static_cast<std::size_t>(begin + i)], j) - centre_[j]) * factor_[j];
    return z;
  }
  VectorXd labels(Index begin, Index count) const {
    VectorXd y(count);
    for (Index i = 0; i < count; ++i) y[i] = label(begin + i);
    return y;
  }

  // The model with the weights w of standardised attributes.
  Model model(const VectorXd& w) const {
    Model model;
    model.bias = mean_;
    for (Index j = 0; j < dimension(); ++j) {
      model.weights.push_back(w[j] * factor_[j]);
      model.bias -= model.weights.back() * centre_[j];
    }
    return model;
  }

 private:
  double value(std::uint32_t row, Index j) const {
    return static_cast<double>(set_.values[row * set_.dimension + static_cast<std::size_t>(j)]);
  }

  const DenseSet& set_;
  const std::span<const std::uint32_t> rows_;
  VectorXd centre_;
  VectorXd factor_;
  double mean_ = 0;
};

double ridge_of(Index k) { return std::ldexp(1.0, kLeastRidge + static_cast<int>(k)); }

// Column k: 1/(v + n·λ_k) of each eigenvalue v.
MatrixXd inverses(const VectorXd& values, Index n) {
  MatrixXd result(values.size(), kRidges);
  for (Index k = 0; k < kRidges; ++k)
    result.col(k) = (values.array() + static_cast<double>(n) * ridge_of(k)).inverse();
  return result;
}

// Adds the squares of the errors left out to `sums`. `fitted` and `leverage`: an example a row, a λ a column.
void add_squares(const VectorXd& y, const MatrixXd& fitted, const MatrixXd& leverage, double n,
                 VectorXd& sums) {
  for (Index k = 0; k < fitted.cols(); ++k)
    for (Index i = 0; i < y.size(); ++i) {
      const double left = 1 - 1 / n - leverage(i, k);
      const double error =
          left > 1e-9 ? (y[i] - fitted(i, k)) / left : std::numeric_limits<double>::infinity();
      sums[k] += error * error;
    }
}

struct Fit {
  MatrixXd weights;  // a column a λ
  VectorXd squares;  // of the errors left out, summed
};

// By the eigenvectors of ZᵀZ.
Fit fit_by_attributes(const Standardised& rows) {
  constexpr Index kBlock = 256;
  const Index d = rows.dimension();
  const Index n = rows.size();
  MatrixXd gram = MatrixXd::Zero(d, d);
  VectorXd products = VectorXd::Zero(d);
  for (Index begin = 0; begin < n; begin += kBlock) {
    const Index count = std::min(kBlock, n - begin);
    const MatrixXd z = rows.block(begin, count);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(z.transpose());
    products.noalias() += z.transpose() * rows.labels(begin, count);
  }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(gram);
  const MatrixXd& v = solver.eigenvectors();
  const MatrixXd inverse = inverses(solver.eigenvalues().cwiseMax(0), n);
  const VectorXd turned = v.transpose() * products;
  const MatrixXd turned_weights = turned.asDiagonal() * inverse;
  Fit fit{v * turned_weights, VectorXd::Zero(kRidges)};
  for (Index begin = 0; begin < n; begin += kBlock) {
    const Index count = std::min(kBlock, n - begin);
    const MatrixXd z = rows.block(begin, count) * v;
    add_squares(rows.labels(begin, count), z * turned_weights, z.cwiseAbs2() * inverse,
                static_cast<double>(n), fit.squares);
  }
  return fit;
}

// By the eigenvectors of ZZᵀ.
Fit fit_by_examples(const Standardised& rows) {
  const Index n = rows.size();
  const MatrixXd z = rows.block(0, n);
  const VectorXd y = rows.labels(0, n);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(z * z.transpose());
  const MatrixXd& u = solver.eigenvectors();
  const VectorXd values = solver.eigenvalues().cwiseMax(0);
  const MatrixXd inverse = inverses(values, n);
  const MatrixXd shares = values.asDiagonal() * inverse;
  const VectorXd turned = u.transpose() * y;
  Fit fit{z.transpose() * (u * (turned.asDiagonal() * inverse)), VectorXd::Zero(kRidges)};
  add_squares(y, u * (turned.asDiagonal() * shares), u.cwiseAbs2() * shares, static_cast<double>(n),
              fit.squares);
  return fit;
}

}  // namespace

LeaveOneOutRidge leave_one_out_ridge(const DenseSet& set, std::span<const std::uint32_t> rows) {
  const Standardised standardised(set, rows);
  const auto n = static_cast<double>(rows.size());
  LeaveOneOutRidge best;
  best.ridge = std::numeric_limits<double>::infinity();
  VectorXd weights = VectorXd::Zero(standardised.dimension());
  double squares = 0;
  for (Index i = 0; i < standardised.size(); ++i) squares += standardised.label(i) * standardised.label(i);
  if (rows.size() > 1) {
    squares /= (1 - 1 / n) * (1 - 1 / n);
    const Fit fit = standardised.size() <= standardised.dimension() ? fit_by_examples(standardised)
                                                                    : fit_by_attributes(standardised);
    for (Index k = kRidges - 1; k >= 0; --k) {
      if (!(fit.squares[k] < squares)) continue;
      squares = fit.squares[k];
      best.ridge = ridge_of(k);
      weights = fit.weights.col(k);
    }
  }
  best.square = squares / n;
  best.model = standardised.model(weights);
  return best;
}

}  // namespace glimpse
