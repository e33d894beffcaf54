#include "lab/offline/offline_ridge.h"

#include <cmath>

#include <Eigen/Eigenvalues>

namespace glimpse {

OfflineRidge::OfflineRidge(const NormalEquations& equations) {
  const Eigen::Index d = equations.b.size();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(equations.a);
  const Eigen::VectorXd& values = solver.eigenvalues();  // ascending
  const double smallest = values[d - 1] * std::numeric_limits<double>::epsilon() * static_cast<double>(d);
  Eigen::Index rank = 0;
  while (rank < d && values[d - 1 - rank] > smallest && values[d - 1 - rank] > 0) ++rank;
  q_ = solver.eigenvectors().rightCols(rank);
  lambda_ = values.tail(rank);
  beta_ = q_.transpose() * equations.b;
}

Eigen::VectorXd OfflineRidge::solve(double radius) const {
  constexpr int kMostSteps = 200;
  double mu = 0;
  Eigen::VectorXd z = beta_.cwiseQuotient(lambda_);
  for (int step = 0; step < kMostSteps; ++step) {
    const double square = z.squaredNorm();
    const double norm = std::sqrt(square);
    if (!(norm > radius)) break;
    const double slope = z.cwiseAbs2().cwiseQuotient((lambda_.array() + mu).matrix()).sum();
    const double next = mu + square / slope * (norm - radius) / radius;
    if (!(next > mu)) break;  // the equation holds to the last bit
    mu = next;
    z = beta_.cwiseQuotient((lambda_.array() + mu).matrix());
  }
  Eigen::VectorXd w = q_ * z;
  if (const double norm = w.norm(); norm > radius) w *= radius / norm;
  return w;
}

double ridge_gap(const NormalEquations& equations, const Eigen::VectorXd& w, double radius) {
  const Eigen::VectorXd c = equations.b - equations.a * w;
  return radius * c.norm() - c.dot(w);
}

}  // namespace glimpse
