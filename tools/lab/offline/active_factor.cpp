#include "lab/offline/active_factor.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

void ActiveFactor::append(const Eigen::VectorXd& column, double diagonal, double smallest_pivot) {
  const Eigen::Index n = size_;
  Eigen::VectorXd row = column;
  if (n > 0) l_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(row);
  l_.row(n).head(n) = row.transpose();
  l_(n, n) = std::sqrt(std::max(diagonal - row.squaredNorm(), smallest_pivot));
  ++size_;
}

void ActiveFactor::remove(Eigen::Index position) {
  const Eigen::Index n = size_ - 1;
  // Without that row, every row behind it has one entry above the diagonal; a plane rotation of two columns
  // takes each away.
  for (Eigen::Index i = position; i < n; ++i) l_.row(i).head(i + 2) = l_.row(i + 1).head(i + 2).eval();
  for (Eigen::Index k = position; k < n; ++k) {
    const double a = l_(k, k);
    const double b = l_(k, k + 1);
    const double r = std::hypot(a, b);
    const double c = a / r;
    const double s = b / r;
    for (Eigen::Index i = k; i < n; ++i) {
      const double left = l_(i, k);
      const double right = l_(i, k + 1);
      l_(i, k) = c * left + s * right;
      l_(i, k + 1) = c * right - s * left;
    }
  }
  size_ = n;
}

Eigen::VectorXd ActiveFactor::solve(const Eigen::VectorXd& v) const {
  Eigen::VectorXd x = v;
  const auto l = l_.topLeftCorner(size_, size_);
  l.triangularView<Eigen::Lower>().solveInPlace(x);
  l.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
  return x;
}

}  // namespace glimpse
