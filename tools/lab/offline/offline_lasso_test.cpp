#include "lab/offline/offline_lasso.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "lab/data/data_source.h"
#include "lab/lab_test_support.h"
#include "lab/offline/active_factor.h"
#include "lab/offline/offline_ridge.h"
#include "lab/offline/offline_test_support.h"

namespace offline_lasso_test {

using namespace glimpse;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Eigen::VectorXd solve(const NormalEquations& equations, double radius) {
  return offline_lasso(equations, std::span(&radius, 1)).value().front();
}

// c_i = λ·sign(w_i) where w_i ≠ 0, |c_i| ≤ λ elsewhere, λ = 0 inside the ball: how far from it.
double kkt_residual(const NormalEquations& equations, const Eigen::VectorXd& w, double radius) {
  const Eigen::VectorXd c = equations.b - equations.a * w;
  const double norm = w.lpNorm<1>();
  if (norm < radius * (1 - 1e-9)) return c.lpNorm<Eigen::Infinity>();
  double lambda = 0;
  for (Eigen::Index i = 0; i < w.size(); ++i) lambda += c[i] * w[i] / norm;
  double worst = std::max(0.0, -lambda);
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    const double sign = w[i] > 0 ? 1 : -1;
    worst = std::max(worst, w[i] == 0 ? std::abs(c[i]) - lambda : std::abs(c[i] - lambda * sign));
  }
  return worst;
}

}  // namespace

TEST_CASE("A = I: the solution is b, soft-thresholded to the radius") {
  const NormalEquations equations = diagonal_equations({1, 1, 1}, {3, -2, 0.5}, 0);
  CHECK(solve(equations, 10).isApprox(Eigen::Vector3d(3, -2, 0.5), 1e-12));
  CHECK(solve(equations, 3).isApprox(Eigen::Vector3d(2, -1, 0), 1e-12));     // λ = 1
  CHECK(solve(equations, 0.5).isApprox(Eigen::Vector3d(0.5, 0, 0), 1e-12));  // λ = 2.5
}

TEST_CASE("all radii in one walk are the same as each by itself") {
  const NormalEquations equations = equations_of(correlated_set(60, 25, 0, 5));
  const std::vector<double> radii = {0.01, 0.3, 1, 2, 1000};
  const auto together = offline_lasso(equations, radii).value();
  for (std::size_t r = 0; r < radii.size(); ++r)
    CHECK((together[r] - solve(equations, radii[r])).lpNorm<Eigen::Infinity>() < 1e-10);
}

TEST_CASE("the KKT conditions hold to 1e-8, with fewer rows than attributes and copied attributes too") {
  for (const std::size_t n : {10, 30, 400}) {
    for (const std::size_t copies : {0, 7}) {
      const NormalEquations equations = equations_of(correlated_set(n, 40, copies, n));
      for (const double radius : {0.01, 0.5, 2.0, 5.0, 8.0, 1000.0}) {
        CAPTURE(n);
        CAPTURE(copies);
        CAPTURE(radius);
        const Eigen::VectorXd w = solve(equations, radius);
        CHECK(w.lpNorm<1>() <= radius * (1 + 1e-14));
        CHECK(kkt_residual(equations, w, radius) < 1e-8);
        CHECK(w[1] == 0);  // an attribute that is always 0
      }
    }
  }
}

TEST_CASE("without a ball it is least squares") {
  const NormalEquations equations = equations_of(correlated_set(200, 20, 0, 9));
  const Eigen::VectorXd ridge = OfflineRidge(equations).solve();
  CHECK((solve(equations, kInfinity) - ridge).lpNorm<Eigen::Infinity>() < 1e-8);
}

TEST_CASE("labels that do not depend on anything give 0") {
  CHECK(solve(diagonal_equations({1, 1}, {0, 0}, 1), 3).isZero(0));
}

TEST_CASE("the KKT conditions hold to 1e-8 on MNIST, whose pixels are many and some all but copies") {
  if (data_folder("GLIMPSE_MNIST") == nullptr) return;
  DataOptions options;
  options.data = "mnist:3,5";
  options.scaling = Scaling::kNone;
  options.largest_training = 1500;
  const auto set = DataSource::load(options).value().prepare(1);
  const NormalEquations equations = equations_of(set->train);
  const std::vector<double> radii = {0.5, 4, 16, 64};
  const auto solutions = offline_lasso(equations, radii).value();
  for (std::size_t r = 0; r < radii.size(); ++r) {
    CAPTURE(radii[r]);
    CHECK(kkt_residual(equations, solutions[r], radii[r]) < 1e-8);
    CHECK(lasso_gap(equations, solutions[r], radii[r]) < 1e-8 * radii[r]);
  }
}

TEST_CASE("a factor whose rows come and go solves as a fresh one") {
  const Eigen::MatrixXd a =
      equations_of(correlated_set(50, 9, 0, 2)).a + 0.1 * Eigen::MatrixXd::Identity(9, 9);
  std::vector<Eigen::Index> set;
  ActiveFactor factor(9);
  const auto append = [&](Eigen::Index j) {
    Eigen::VectorXd column(factor.size());
    for (Eigen::Index i = 0; i < column.size(); ++i) column[i] = a(set[static_cast<std::size_t>(i)], j);
    factor.append(column, a(j, j), 1e-12);
    set.push_back(j);
  };
  for (const Eigen::Index j : {3, 0, 8, 5, 1, 7}) append(j);
  for (const Eigen::Index position : {1, 4, 0}) {
    factor.remove(position);
    set.erase(set.begin() + position);
    append(set.size() % 2 == 0 ? 2 : 4);
    factor.remove(factor.size() - 1);
    set.pop_back();
    Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(factor.size(), 1, 2);
    Eigen::VectorXd back = Eigen::VectorXd::Zero(factor.size());
    const Eigen::VectorXd x = factor.solve(v);
    for (Eigen::Index i = 0; i < x.size(); ++i)
      for (Eigen::Index j = 0; j < x.size(); ++j)
        back[i] += a(set[static_cast<std::size_t>(i)], set[static_cast<std::size_t>(j)]) * x[j];
    CHECK((back - v).lpNorm<Eigen::Infinity>() < 1e-12);
  }
}

}  // namespace offline_lasso_test
