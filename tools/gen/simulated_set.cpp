#include "gen/simulated_set.h"

#include <algorithm>
#include <cmath>

#include "gen/nearly_normal.h"

namespace glimpse {

namespace {

std::vector<double> make_chances(const SimulatedOptions& options) {
  std::vector<double> u(options.dimension);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = std::pow(static_cast<double>(i + 1), options.alpha);
  double norm = 0;
  for (const double value : u)
    norm = options.kind == SimulatedKind::kRidge ? norm + value * value : std::max(norm, value);
  if (options.kind == SimulatedKind::kRidge) norm = std::sqrt(norm);
  if (norm > 1) {
    for (double& value : u) value /= norm;
  }
  return u;
}

double draw_weight(SimulatedKind kind, Random& random) {
  const double uniform = random.uniform();
  if (kind == SimulatedKind::kRidge) return uniform < 0.5 ? -1 : 1;
  return uniform < 0.15 ? -1 : uniform < 0.85 ? 0 : 1;
}

}  // namespace

Status validate(const SimulatedOptions& options) {
  using O = SimulatedOptions;
  if (!(std::abs(options.alpha) <= O::kLargestAlpha)) {
    return failure(ErrorCode::kInvalidOption, "--alpha is {}; it must be from {} to {}", options.alpha,
                   -O::kLargestAlpha, O::kLargestAlpha);
  }
  if (options.dimension < 1 || options.dimension > O::kLargestDimension) {
    return failure(ErrorCode::kInvalidOption, "--dimension is {}; it must be from 1 to {}", options.dimension,
                   O::kLargestDimension);
  }
  if (!(options.noise >= 0 && options.noise <= O::kLargestNoise)) {
    return failure(ErrorCode::kInvalidOption, "--noise is {}; it must be from 0 to {}", options.noise,
                   O::kLargestNoise);
  }
  return {};
}

SimulatedSet::SimulatedSet(const SimulatedOptions& options)
    : options_(options), chances_(make_chances(options)) {
  thresholds_.reserve(chances_.size());
  for (const double u : chances_) thresholds_.push_back(static_cast<std::uint64_t>(u * 0x1p63));
  Random random(options.seed);
  weights_.reserve(chances_.size());
  for (std::size_t i = 0; i < chances_.size(); ++i) weights_.push_back(draw_weight(options.kind, random));
  // Another generator than that of the weights, whatever their number, so that seeds 1, 2, … give streams far
  // apart.
  examples_seed_ = Random(~options.seed).bits();
}

double SimulatedSet::next(std::span<double> values) {
  const std::uint64_t example = position_++;
  Random random(examples_seed_ + example);
  double label = 0;
  for (std::size_t i = 0; i < thresholds_.size(); ++i) {
    const double x = random.bits() >> 1 < thresholds_[i] ? 1 : 0;
    values[i] = x;
    label += weights_[i] * x;  // whole numbers: exact in any order
  }
  if (options_.flip_at != 0 && example >= options_.flip_at) label = -label;
  if (options_.noise > 0) {
    label += options_.noise * nearly_normal(random);
  }
  return label + 0.0;  // +0, not −0, for an example without any attribute after the flip
}

}  // namespace glimpse
