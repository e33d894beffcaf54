#include "lab/data/scaling.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace glimpse {

namespace {

void multiply(DenseSet& set, const std::vector<double>& factors) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto row = set.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = static_cast<float>(row[j] * factors[j]);
  }
}

double inverse(double largest) { return largest > 0 ? 1 / largest : 1; }

std::vector<double> norm_factors(const DenseSet& train) {
  double largest = 0;
  for (std::size_t i = 0; i < train.size(); ++i) {
    double square = 0;
    for (const float x : train.row(i)) square += static_cast<double>(x) * x;
    largest = std::max(largest, square);
  }
  std::vector<double> factors(train.dimension);
  std::fill(factors.begin(), factors.end(), inverse(std::sqrt(largest)));
  return factors;
}

std::vector<double> max_abs_factors(const DenseSet& train) {
  std::vector<double> factors(train.dimension);
  for (std::size_t i = 0; i < train.size(); ++i) {
    const auto row = train.row(i);
    for (std::size_t j = 0; j < row.size(); ++j)
      factors[j] = std::max(factors[j], std::abs(static_cast<double>(row[j])));
  }
  for (double& factor : factors) factor = inverse(factor);
  return factors;
}

}  // namespace

Result<Scaling> parse_scaling(std::string_view name) {
  for (const Scaling scaling : {Scaling::kNone, Scaling::kNorm, Scaling::kMaxAbs, Scaling::kMaxAbsNorm})
    if (name == name_of(scaling)) return scaling;
  return failure(ErrorCode::kInvalidOption, "--scale is '{}'; it must be none, norm, maxabs or maxabs-norm",
                 name);
}

std::string_view name_of(Scaling scaling) {
  switch (scaling) {
    case Scaling::kNone:
      return "none";
    case Scaling::kNorm:
      return "norm";
    case Scaling::kMaxAbs:
      return "maxabs";
    case Scaling::kMaxAbsNorm:
      return "maxabs-norm";
  }
  return "none";
}

void scale(Scaling scaling, DenseSet& train, DenseSet& test) {
  const auto both = [&](const std::vector<double>& factors) {
    multiply(train, factors);
    multiply(test, factors);
  };
  if (scaling == Scaling::kMaxAbs || scaling == Scaling::kMaxAbsNorm) both(max_abs_factors(train));
  if (scaling == Scaling::kNorm || scaling == Scaling::kMaxAbsNorm) both(norm_factors(train));
}

}  // namespace glimpse
