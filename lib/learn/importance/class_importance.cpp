#include "learn/importance/class_importance.h"

#include <cmath>

namespace glimpse {

void ClassImportances::add(const Importances& importances, double variance) {
  const std::size_t d = importances.shares.size();
  if (d == 0) return;
  sums_.shares.resize(d);
  sums_.errors.resize(d);
  for (std::size_t i = 0; i < d; ++i) {
    const double error = importances.errors[i] * variance;
    sums_.shares[i] += importances.shares[i] * variance;
    sums_.errors[i] += error * error;
  }
  variance_ += variance;
  ++count_;
}

Importances ClassImportances::together() const {
  Importances result = sums_;
  const auto count = static_cast<double>(count_);
  const double dependence = count_ > 1 ? count / (count - 1) : 1;
  for (double& share : result.shares) share /= variance_;
  for (double& error : result.errors) error = std::sqrt(dependence * error) / variance_;
  return result;
}

}  // namespace glimpse
