#include "learn/linalg/spectral_solver.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include <Eigen/Dense>

#include "base/random.h"

namespace spectral_solver_test {

using namespace glimpse;

namespace {

Eigen::MatrixXd symmetric(Eigen::Index n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd a(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = i; j < n; ++j) a(i, j) = a(j, i) = random.uniform() - 0.5;
  return a;
}

Multiply product_with(const Eigen::MatrixXd& a) {
  return [&a](std::span<const double> x, std::span<double> y) {
    const auto n = static_cast<Eigen::Index>(x.size());
    Eigen::Map<Eigen::VectorXd>(y.data(), n) = a * Eigen::Map<const Eigen::VectorXd>(x.data(), n);
  };
}

Eigen::VectorXd exact(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                      const std::function<double(double)>& f) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(a);
  return eigen.eigenvectors() *
         (eigen.eigenvalues().unaryExpr(f).asDiagonal() * (eigen.eigenvectors().transpose() * b));
}

std::span<const double> view(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

double positive_inverse(double x) { return 1 / (std::max(x, 0.0) + 0.8); }

}  // namespace

TEST_CASE("with as many steps as dimensions every function of the matrix is exact") {
  const Eigen::MatrixXd a = symmetric(30, 1);
  const Eigen::VectorXd b = symmetric(30, 2).col(0);
  KrylovSpace space;
  space.build(view(b), 30, product_with(a));
  Eigen::VectorXd w(30);
  const auto functions = {std::function<double(double)>(positive_inverse),
                          std::function<double(double)>([](double x) { return x * x * x; }),
                          std::function<double(double)>([](double x) { return std::exp(x); })};
  for (const auto& f : functions) {
    space.apply(f, {w.data(), 30});
    CHECK((w - exact(a, b, f)).norm() < 1e-10 * w.norm());
    CHECK(space.quadratic(f) == doctest::Approx(b.dot(exact(a, b, f))).epsilon(1e-10));
  }
  CHECK(space.eigenvalues().size() == 30);
}

TEST_CASE("few steps are enough where the ridge is as large as the matrix's noise") {
  // Semicircle of radius 1·√(300/12)·… and a signal above it, as in moments estimated from pairs.
  const Eigen::Index n = 300;
  Eigen::MatrixXd a = symmetric(n, 3) * std::sqrt(12.0 / static_cast<double>(n));
  const Eigen::VectorXd direction = symmetric(n, 4).col(0).normalized();
  a += 8 * direction * direction.transpose();
  const Eigen::VectorXd b = direction + 0.05 * symmetric(n, 5).col(0);
  KrylovSpace space;
  space.build(view(b), 40, product_with(a));
  Eigen::VectorXd w(n);
  space.apply(positive_inverse, {w.data(), static_cast<std::size_t>(n)});
  CHECK((w - exact(a, b, positive_inverse)).norm() < 1e-2 * w.norm());
  CHECK(space.quadratic(positive_inverse) ==
        doctest::Approx(b.dot(exact(a, b, positive_inverse))).epsilon(1e-3));
}

TEST_CASE("a space that ends early, a zero vector and a zero matrix are no trouble") {
  KrylovSpace space;
  Eigen::VectorXd w(5);
  Eigen::VectorXd b = Eigen::VectorXd::Unit(5, 2);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(5, 5);
  space.build(view(b), 5, product_with(identity));
  CHECK(space.eigenvalues().size() == 1);
  space.apply([](double x) { return 1 / (x + 1); }, {w.data(), 5});
  CHECK((w - b / 2).norm() < 1e-15);

  space.build(view(b), 5, product_with(Eigen::MatrixXd::Zero(5, 5)));
  space.apply([](double) { return 4.0; }, {w.data(), 5});
  CHECK((w - 4 * b).norm() < 1e-15);

  b.setZero();
  space.build(view(b), 5, product_with(identity));
  space.apply([](double) { return 4.0; }, {w.data(), 5});
  CHECK(w.norm() == 0);
  CHECK(space.quadratic([](double) { return 1.0; }) == 0);
}

}  // namespace spectral_solver_test
