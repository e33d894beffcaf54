#include "learn/linalg/ridge_evidence.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/Eigenvalues>

#include "base/random.h"

namespace glimpse {

namespace {

constexpr std::uint64_t kSeed = 0x676c696d70736532;
constexpr int kLeastExponent = -20;  // of 2, λ over the mean of C's diagonal: what floats hold of C
constexpr int kMostExponent = 24;    // of 2
constexpr double kLeastRest = 1e-7;  // of v: what floats hold of bᵀ(C + λI)⁻¹b
constexpr int kSections = 40;        // of an interval of two octaves

}  // namespace

void RidgeEvidence::begin(std::span<const float> matrix, std::size_t d, const Multiply& multiply) {
  values_.clear();
  weights_.clear();
  scale_ = 0;
  for (std::size_t i = 0; i < d; ++i)
    scale_ += static_cast<double>(matrix[i * d + i]) / static_cast<double>(d);
  if (d <= kExact) {
    const auto size = static_cast<Eigen::Index>(d);
    // By columns, so that what is above the diagonal is below it.
    const Eigen::Map<const Eigen::MatrixXf> map(matrix.data(), size, size);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(map.cast<double>(), Eigen::EigenvaluesOnly);
    values_.assign(eigen.eigenvalues().data(), eigen.eigenvalues().data() + size);
    weights_.assign(d, 1.0);
    return;
  }
  Random random(kSeed);
  KrylovSpace space;
  std::vector<double> signs(d);
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    for (double& sign : signs) sign = random.bits() >> 63 == 0 ? 1 : -1;
    space.build(signs, kProbeSteps, multiply);
    for (std::size_t e = 0; e < space.eigenvalues().size(); ++e) {
      values_.push_back(space.eigenvalues()[e]);
      weights_.push_back(space.weight(e) / kProbes);
    }
  }
}

double RidgeEvidence::log_determinant(double ridge) const {
  double sum = 0;
  for (std::size_t e = 0; e < values_.size(); ++e)
    sum += weights_[e] * std::log1p(std::max(values_[e], 0.0) / ridge);
  return sum;
}

double RidgeEvidence::most_likely(const KrylovSpace& space, double label_square, double examples) const {
  const auto evidence = [&](double exponent) {
    const double ridge = scale_ * std::exp2(exponent);
    const double explained = space.quadratic([&](double x) { return 1 / (std::max(x, 0.0) + ridge); });
    const double rest = std::max(1 - explained / label_square, kLeastRest);
    return -(examples - 1) * std::log(rest) - log_determinant(ridge);
  };
  double best = kMostExponent;
  double most = evidence(best);
  for (double exponent = kMostExponent - 1; exponent >= kLeastExponent; --exponent)
    if (const double here = evidence(exponent); here > most) {
      most = here;
      best = exponent;
    }
  // Golden sections.
  constexpr double kShare = 0.61803398874989485;
  double low = best - 1;
  double high = best + 1;
  double left = high - kShare * (high - low);
  double right = low + kShare * (high - low);
  double at_left = evidence(left);
  double at_right = evidence(right);
  for (int i = 0; i < kSections; ++i) {
    if (at_left > at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kShare * (high - low);
      at_left = evidence(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kShare * (high - low);
      at_right = evidence(right);
    }
  }
  return scale_ * std::exp2((low + high) / 2);
}

}  // namespace glimpse
