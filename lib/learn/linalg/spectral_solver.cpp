#include "learn/linalg/spectral_solver.h"

#include <cmath>

#include <Eigen/Eigenvalues>

#include "learn/linalg/dense_kernels.h"

namespace glimpse {

namespace {

constexpr double kTiny = 1e-13;  // of ‖A‖: below, the space is complete

const DenseKernels& kernels() {
  static const DenseKernels& fastest = fastest_dense_kernels();
  return fastest;
}

double dot(const double* a, const double* b, std::size_t n) { return kernels().dot(a, b, n); }
void add(double* y, double factor, const double* x, std::size_t n) { kernels().add(y, factor, x, n); }

}  // namespace

void KrylovSpace::build(std::span<const double> b, std::size_t steps, const Multiply& multiply) {
  n_ = b.size();
  norm_ = std::sqrt(dot(b.data(), b.data(), n_));
  values_.clear();
  basis_.clear();
  vectors_.clear();
  if (!(norm_ > 0) || steps == 0) return;
  steps = steps < n_ ? steps : n_;

  std::vector<double> diagonal;
  std::vector<double> beside;
  std::vector<double> next(n_);
  for (const double x : b) basis_.push_back(x / norm_);
  double scale = 0;
  for (std::size_t k = 0;; ++k) {
    const double* q = basis_.data() + k * n_;
    multiply({q, n_}, next);
    diagonal.push_back(dot(q, next.data(), n_));
    // Twice: rounding leaves what the first pass could not see.
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t l = 0; l <= k; ++l) {
        const double* p = basis_.data() + l * n_;
        add(next.data(), -dot(p, next.data(), n_), p, n_);
      }
    const double length = std::sqrt(dot(next.data(), next.data(), n_));
    scale = std::max({scale, std::abs(diagonal.back()), length});
    if (k + 1 == steps || !(length > kTiny * scale)) break;
    beside.push_back(length);
    for (const double x : next) basis_.push_back(x / length);
  }

  const auto size = static_cast<Eigen::Index>(diagonal.size());
  const Eigen::VectorXd main = Eigen::Map<const Eigen::VectorXd>(diagonal.data(), size);
  const Eigen::VectorXd off = Eigen::Map<const Eigen::VectorXd>(beside.data(), size - 1);
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
  eigen.computeFromTridiagonal(main, off);
  values_.assign(eigen.eigenvalues().data(), eigen.eigenvalues().data() + size);
  vectors_.assign(eigen.eigenvectors().data(), eigen.eigenvectors().data() + size * size);
}

void KrylovSpace::apply(const std::function<double(double)>& f, std::span<double> w) const {
  for (double& x : w) x = 0;
  const std::size_t k = values_.size();
  std::vector<double> coordinates(k);
  for (std::size_t e = 0; e < k; ++e) {
    const double* v = vectors_.data() + e * k;
    const double weight = norm_ * v[0] * f(values_[e]);
    for (std::size_t l = 0; l < k; ++l) coordinates[l] += weight * v[l];
  }
  for (std::size_t l = 0; l < k; ++l) add(w.data(), coordinates[l], basis_.data() + l * n_, n_);
}

void KrylovSpace::factors(const std::function<double(double)>& f, std::vector<double>& z) const {
  const std::size_t k = values_.size();
  z.clear();
  for (std::size_t e = 0; e < k; ++e) {
    const double value = f(values_[e]);
    if (!(value > 0)) continue;
    const double root = std::sqrt(value);
    z.resize(z.size() + n_);
    double* const vector = z.data() + z.size() - n_;
    for (std::size_t l = 0; l < k; ++l) add(vector, root * vectors_[e * k + l], basis_.data() + l * n_, n_);
  }
}

double KrylovSpace::quadratic(const std::function<double(double)>& f) const {
  const std::size_t k = values_.size();
  double sum = 0;
  for (std::size_t e = 0; e < k; ++e) {
    const double first = vectors_[e * k];
    sum += first * first * f(values_[e]);
  }
  return norm_ * norm_ * sum;
}

}  // namespace glimpse
