#include "gen/factor_set.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "gen/nearly_normal.h"

namespace glimpse {

Status validate(const FactorOptions& options) {
  constexpr std::size_t kMostFactors = 1000;
  constexpr std::size_t kMostAttributes = std::numeric_limits<std::uint32_t>::max();
  if (options.factors < 1 || options.factors > kMostFactors)
    return failure(ErrorCode::kInvalidOption, "the number of factors is {}; it must be from 1 to {}",
                   options.factors, kMostFactors);
  if (options.dimension < 1 || options.dimension > kMostAttributes)
    return failure(ErrorCode::kInvalidOption, "--dimension is {}; it must be from 1 to {}", options.dimension,
                   kMostAttributes);
  return {};
}

FactorSet::FactorSet(const FactorOptions& options)
    : options_(options),
      loadings_(options.dimension * options.factors),
      weights_(options.factors),
      noise_(std::sqrt((1 - kExplained) / kExplained)),
      factors_(options.factors) {
  Random random(options.seed);
  double square = 0;
  while (!(square > 0)) {
    for (double& weight : weights_) weight = nearly_normal(random);
    square = std::inner_product(weights_.begin(), weights_.end(), weights_.begin(), 0.0);
  }
  for (double& weight : weights_) weight /= std::sqrt(square);
  const double deviation = 1 / std::sqrt(static_cast<double>(options.factors));
  for (double& loading : loadings_) loading = deviation * nearly_normal(random);
  examples_seed_ = Random(~options.seed).bits();
}

double FactorSet::next(std::span<double> values) {
  Random random(examples_seed_ + position_++);
  for (double& factor : factors_) factor = nearly_normal(random);
  double label = noise_ * nearly_normal(random);
  label += std::inner_product(weights_.begin(), weights_.end(), factors_.begin(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = loadings(i);
    values[i] = std::inner_product(row.begin(), row.end(), factors_.begin(), nearly_normal(random));
  }
  return label;
}

}  // namespace glimpse
