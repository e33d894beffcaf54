#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/random.h"
#include "learn/linalg/spectral_solver.h"

/// What importances are, by matrices that are inverted.
namespace glimpse::importance_test {

using Matrix = std::vector<std::vector<double>>;

// A⁻¹ by Gauss and Jordan, for positive definite A.
inline Matrix inverse(Matrix a) {
  const std::size_t d = a.size();
  Matrix b(d, std::vector<double>(d));
  for (std::size_t i = 0; i < d; ++i) b[i][i] = 1;
  for (std::size_t i = 0; i < d; ++i) {
    const double pivot = a[i][i];
    for (std::size_t j = 0; j < d; ++j) {
      a[i][j] /= pivot;
      b[i][j] /= pivot;
    }
    for (std::size_t r = 0; r < d; ++r) {
      const double factor = a[r][i];
      for (std::size_t j = 0; r != i && j < d; ++j) {
        a[r][j] -= factor * a[i][j];
        b[r][j] -= factor * b[i][j];
      }
    }
  }
  return b;
}

inline std::vector<double> times(const Matrix& a, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += a[i][j] * x[j];
  return y;
}

// Σ θ_k·q_kq_kᵀ with q_k the columns of a reflection: its positive part is that with max(θ_k, 0).
inline Matrix with_eigenvalues(const std::vector<double>& values, Random& random) {
  const std::size_t d = values.size();
  std::vector<double> v(d);
  double square = 0;
  for (double& x : v) {
    x = random.uniform() - 0.5;
    square += x * x;
  }
  Matrix a(d, std::vector<double>(d));
  for (std::size_t k = 0; k < d; ++k)
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        a[i][j] += values[k] * ((i == k) - 2 * v[i] * v[k] / square) * ((j == k) - 2 * v[j] * v[k] / square);
  return a;
}

inline std::vector<double> diagonal(const Matrix& a) {
  std::vector<double> x(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) x[i] = a[i][i];
  return x;
}

inline KrylovSpace space_of(const Matrix& a, const std::vector<double>& b, std::size_t steps) {
  KrylovSpace space;
  space.build(b, steps, [&](std::span<const double> x, std::span<double> y) {
    const std::vector<double> product = times(a, {x.begin(), x.end()});
    std::copy(product.begin(), product.end(), y.begin());
  });
  return space;
}

// The least J(w) = label − 2wᵀb + wᵀAw where w is 0 at all places of `out`.
inline double least_error(const Matrix& a, const std::vector<double>& b, const std::vector<std::size_t>& out,
                          double label) {
  const auto is_out = [&](std::size_t i) { return std::find(out.begin(), out.end(), i) != out.end(); };
  Matrix rest;
  std::vector<double> target;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (is_out(i)) continue;
    target.push_back(b[i]);
    rest.emplace_back();
    for (std::size_t j = 0; j < b.size(); ++j)
      if (!is_out(j)) rest.back().push_back(a[i][j]);
  }
  const std::vector<double> w = times(inverse(rest), target);
  double error = label;
  for (std::size_t i = 0; i < w.size(); ++i) error -= w[i] * target[i];
  return error;
}

}  // namespace glimpse::importance_test
