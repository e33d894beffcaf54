#pragma once

#include <vector>

#include <Eigen/Core>

#include "lab/offline/normal_equations.h"

namespace glimpse {

/// n rows of d correlated attributes in [−1, 1], with a label that is a noisy linear function; the last
/// `copies` attributes are copies of the first ones, and attribute 1 is always 0.
inline DenseSet correlated_set(std::size_t n, std::size_t d, std::size_t copies, std::uint64_t seed) {
  Random random(seed);
  DenseSet set;
  set.dimension = d;
  std::vector<float> row(d);
  for (std::size_t i = 0; i < n; ++i) {
    const double common = random.uniform() - 0.5;
    double label = random.uniform() - 0.5;
    for (std::size_t j = 0; j < d; ++j) {
      row[j] = j == 1 ? 0 : static_cast<float>(common + random.uniform() - 0.5);
      if (j + copies >= d) row[j] = row[j + copies - d];
      label += (j % 3 == 0 ? 1.0 : -0.3) * static_cast<double>(row[j]);
    }
    set.append(row, label);
  }
  return set;
}

inline NormalEquations equations_of(const DenseSet& set) {
  return normal_equations(set, natural_order(set.size()), false);
}

/// A = diag(a).
inline NormalEquations diagonal_equations(const std::vector<double>& a, const std::vector<double>& b,
                                          double c) {
  const auto d = static_cast<Eigen::Index>(a.size());
  NormalEquations equations;
  equations.a = Eigen::Map<const Eigen::VectorXd>(a.data(), d).asDiagonal();
  equations.b = Eigen::Map<const Eigen::VectorXd>(b.data(), d);
  equations.c = c;
  return equations;
}

}  // namespace glimpse
