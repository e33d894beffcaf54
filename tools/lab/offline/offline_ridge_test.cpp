#include "lab/offline/offline_ridge.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "lab/offline/offline_test_support.h"

namespace offline_ridge_test {

using namespace glimpse;

TEST_CASE("normal equations are the means over the rows, with the bias as a last attribute") {
  const DenseSet set{2, {1, 2, 3, 4, 5, 6}, {1, -1, 2}};
  const RowOrder rows = {0, 2};
  const NormalEquations equations = normal_equations(set, rows, true);
  Eigen::MatrixXd a(3, 3);
  a << 13, 16, 3, 16, 20, 4, 3, 4, 1;
  CHECK(equations.a.isApprox(a));
  CHECK(equations.b.isApprox(Eigen::Vector3d(5.5, 7, 1.5)));
  CHECK(equations.c == doctest::Approx(2.5));
}

TEST_CASE("A = I: the solution is b, shrunk onto the sphere where it is outside") {
  const NormalEquations equations = diagonal_equations({1, 1}, {3, 4}, 30);
  const OfflineRidge ridge(equations);
  CHECK(ridge.solve().isApprox(Eigen::Vector2d(3, 4), 1e-14));
  CHECK(ridge.solve(6).isApprox(Eigen::Vector2d(3, 4), 1e-14));
  CHECK(ridge.solve(2.5).isApprox(Eigen::Vector2d(1.5, 2), 1e-14));
  CHECK(objective(equations, Eigen::Vector2d(3, 4)) == doctest::Approx(2.5));
}

TEST_CASE("a diagonal A with a chosen multiplier") {
  // μ = 1: w = (2/(1 + 1), 9/(2 + 1)) = (1, 3).
  const OfflineRidge ridge(diagonal_equations({1, 2}, {2, 9}, 0));
  CHECK(ridge.solve(std::sqrt(10.0)).isApprox(Eigen::Vector2d(1, 3), 1e-13));
}

TEST_CASE("the KKT conditions hold to 1e-8, with fewer rows than attributes and copied attributes too") {
  for (const std::size_t n : {10, 30, 400}) {
    const NormalEquations equations = equations_of(correlated_set(n, 40, 5, n));
    const OfflineRidge ridge(equations);
    for (const double radius : {0.01, 0.5, 1.0, 3.0, 100.0}) {
      CAPTURE(n);
      CAPTURE(radius);
      const Eigen::VectorXd w = ridge.solve(radius);
      CHECK(w.norm() <= radius * (1 + 1e-14));
      CHECK(ridge_gap(equations, w, std::min(radius, std::max(w.norm(), 1e-9))) < 1e-8);
      // (A + μI)w = b with μ ≥ 0, and μ = 0 inside the ball.
      const Eigen::VectorXd c = equations.b - equations.a * w;
      const double mu = c.dot(w) / w.squaredNorm();
      CHECK(mu > -1e-12);
      CHECK((c - mu * w).lpNorm<Eigen::Infinity>() < 1e-8);
      if (w.norm() < radius * (1 - 1e-9)) CHECK(c.lpNorm<Eigen::Infinity>() < 1e-8);
    }
  }
}

TEST_CASE("without a ball and with fewer rows than attributes, it fits exactly with the least norm") {
  const DenseSet set = correlated_set(10, 40, 0, 3);
  const Eigen::VectorXd w = OfflineRidge(equations_of(set)).solve();
  for (std::size_t i = 0; i < set.size(); ++i) {
    double prediction = 0;
    for (std::size_t j = 0; j < 40; ++j) prediction += w[static_cast<Eigen::Index>(j)] * set.row(i)[j];
    CHECK(prediction == doctest::Approx(set.labels[i]).epsilon(1e-9));
  }
}

}  // namespace offline_ridge_test
