#include "learn/importance/attribute_importance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Cholesky>

namespace glimpse {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// What pairs say of each attribute i: Σ_j g_j·max(1/(N_ij + 1) − 1/(n_i + 1), 0), and Σ_j N_ij.
struct PairDoubts {
  std::vector<double> noise;
  std::vector<double> seen;
};

PairDoubts pair_doubts(const PairSnapshot& moments, std::span<const double> g) {
  const std::size_t d = g.size();
  PairDoubts doubts{std::vector<double>(d), std::vector<double>(d)};
  std::vector<double> shared(d);  // 1/(n_i + 1)
  for (std::size_t i = 0; i < d; ++i) shared[i] = 1 / (moments[i].weight() + 1);
  for (std::size_t i = 0; i + 1 < d; ++i) {
    const std::span<const float> weights = moments.weights(i);
    const double* const g_after = g.data() + i + 1;
    const double* const shared_after = shared.data() + i + 1;
    double* const noise_after = doubts.noise.data() + i + 1;
    double* const seen_after = doubts.seen.data() + i + 1;
    double noise = 0;
    double seen = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double looks = static_cast<double>(weights[j]);
      const double doubt = 1 / (looks + 1);
      noise += g_after[j] * std::max(doubt - shared[i], 0.0);
      noise_after[j] += g[i] * std::max(doubt - shared_after[j], 0.0);
      seen += looks;
      seen_after[j] += looks;
    }
    doubts.noise[i] += noise;
    doubts.seen[i] += seen;
  }
  return doubts;
}

}  // namespace

InverseDiagonals inverse_diagonals(const KrylovSpace& space, std::span<const double> covariance,
                                   double ridge) {
  const std::size_t d = covariance.size();
  const std::span<const double> values = space.eigenvalues();
  std::vector<double> z;  // eigenvector after eigenvector
  space.factors([](double) { return 1.0; }, z);
  InverseDiagonals result{std::vector<double>(d), std::vector<double>(d), std::vector<double>(d)};
  std::vector<double> inside(d);
  std::vector<double> known(d);
  for (std::size_t k = 0; k * d < z.size(); ++k) {
    const double positive = std::max(values[k], 0.0);
    const double f = 1 / (positive + ridge);
    const double* const vector = z.data() + k * d;
    for (std::size_t i = 0; i < d; ++i) {
      const double square = vector[i] * vector[i];
      inside[i] += square;
      known[i] += square * values[k];
      result.inverse[i] += square * f;
      result.between[i] += square * f * f * positive;
      result.squared[i] += square * f * f;
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    const double outside = 1 - inside[i];
    if (!(outside > kNothingOutside)) continue;
    const double tail = std::max(covariance[i] - known[i], 0.0) / outside;
    const double f = 1 / (tail + ridge);
    result.inverse[i] += outside * f;
    result.between[i] += outside * f * f * tail;
    result.squared[i] += outside * f * f;
  }
  return result;
}

std::vector<double> weight_variances(const PairSnapshot& moments, const SolvedFor& solution,
                                     const InverseDiagonals& diagonals) {
  const std::size_t d = solution.weights.size();
  std::vector<double> g(d);
  for (std::size_t i = 0; i < d; ++i) g[i] = solution.weights[i] * solution.weights[i] * solution.variance[i];
  const PairDoubts doubts = pair_doubts(moments, g);
  std::vector<double> variances(d, kUnknown);
  for (std::size_t i = 0; i < d; ++i) {
    const double n = moments[i].weight();
    if (!(n > 0) || !(diagonals.inverse[i] > 0)) continue;
    const double together = d > 1 ? std::min(doubts.seen[i] / (n * static_cast<double>(d - 1)), 1.0) : 1;
    const double noise = std::max(solution.noise, 0.0) / (n + 1) + doubts.noise[i];
    variances[i] = noise * (together * diagonals.between[i] +
                            (1 - together) * solution.variance[i] * diagonals.squared[i]);
  }
  return variances;
}

Importances attribute_importances(const SolvedFor& solution, const InverseDiagonals& diagonals,
                                  std::span<const double> variances) {
  const std::size_t d = solution.weights.size();
  const double shrink = solution.shrink * (2 - solution.shrink);
  Importances result{std::vector<double>(d, kUnknown), std::vector<double>(d, kUnknown)};
  for (std::size_t i = 0; i < d; ++i) {
    const double variance = variances[i];
    if (std::isnan(variance)) continue;
    const double factor = shrink / (diagonals.inverse[i] * solution.label_variance);
    const double square = solution.weights[i] * solution.weights[i];
    result.shares[i] = factor * square;
    if (shrink > 0) result.errors[i] = factor * std::sqrt(4 * square * variance + 2 * variance * variance);
  }
  return result;
}

std::vector<double> spread_out(std::span<const double> known, std::span<const Attribute> places,
                               std::size_t dimension) {
  if (known.empty()) return {};
  std::vector<double> all(dimension, kUnknown);
  for (std::size_t s = 0; s < places.size(); ++s) all[places[s]] = known[s];
  return all;
}

Importances spread_out(const Importances& known, std::span<const Attribute> places, std::size_t dimension) {
  return {spread_out(known.shares, places, dimension), spread_out(known.errors, places, dimension)};
}

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Index as_index(std::size_t i) { return static_cast<Eigen::Index>(i); }

// What a Krylov space knows of the features of one attribute.
struct Block {
  MatrixXd inverse;  // (A⁻¹)_FF
  MatrixXd between;  // (A⁻¹Ĉ₊A⁻¹)_FF
};

// z: a row for each eigenvector, a column for each feature. Outside the space f(A) counts as √f·(I − zᵀz)·√f,
// with f of each feature's own tail.
Block block_of(const MatrixXd& z, std::span<const double> eigenvalues, const VectorXd& covariance,
               double ridge) {
  VectorXd theta(z.rows());
  VectorXd f(z.rows());
  VectorXd positive(z.rows());
  for (Eigen::Index k = 0; k < z.rows(); ++k) {
    theta[k] = eigenvalues[static_cast<std::size_t>(k)];
    positive[k] = std::max(theta[k], 0.0);
    f[k] = 1 / (positive[k] + ridge);
  }
  const MatrixXd outside = MatrixXd::Identity(z.cols(), z.cols()) - z.transpose() * z;
  const VectorXd known = z.cwiseAbs2().transpose() * theta;
  VectorXd inverse_root = VectorXd::Zero(z.cols());
  VectorXd between_root = VectorXd::Zero(z.cols());
  for (Eigen::Index i = 0; i < z.cols(); ++i) {
    if (!(outside(i, i) > kNothingOutside)) continue;
    const double tail = std::max(covariance[i] - known[i], 0.0) / outside(i, i);
    inverse_root[i] = std::sqrt(1 / (tail + ridge));
    between_root[i] = std::sqrt(tail) / (tail + ridge);
  }
  return {
      z.transpose() * f.asDiagonal() * z + inverse_root.asDiagonal() * outside * inverse_root.asDiagonal(),
      z.transpose() * f.cwiseAbs2().cwiseProduct(positive).asDiagonal() * z +
          between_root.asDiagonal() * outside * between_root.asDiagonal()};
}

}  // namespace

void add_category_importances(const FeatureMap& features, const SolvedFor& solution, const KrylovSpace& space,
                              double ridge, std::span<const double> variances, Importances& importances) {
  if (features.is_plain()) return;
  const std::size_t d = solution.weights.size();
  std::vector<double> vectors;  // eigenvector after eigenvector
  space.factors([](double) { return 1.0; }, vectors);
  const std::size_t steps = d == 0 ? 0 : vectors.size() / d;
  const double factor = solution.shrink * (2 - solution.shrink) / solution.label_variance;
  for (std::size_t attribute = 0; attribute < features.attributes(); ++attribute) {
    if (!features.has_indicators(attribute)) continue;
    std::vector<std::size_t> slots;
    if (features.is_date(attribute) && !std::isnan(variances[attribute])) slots.push_back(attribute);
    for (const std::uint32_t slot : features.indicators(attribute))
      if (slot != FeatureMap::kNone && !std::isnan(variances[slot])) slots.push_back(slot);
    if (slots.empty() || slots.size() > kMostWeighedTogether) continue;

    const Eigen::Index size = as_index(slots.size());
    MatrixXd z(as_index(steps), size);
    VectorXd covariance(size);
    VectorXd weights(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      const std::size_t slot = slots[static_cast<std::size_t>(i)];
      covariance[i] = solution.variance[slot];
      weights[i] = solution.weights[slot];
      for (std::size_t k = 0; k < steps; ++k) z(as_index(k), i) = vectors[k * d + slot];
    }
    const Block block = block_of(z, space.eigenvalues(), covariance, ridge);
    VectorXd scale(size);  // of the covariances between weights
    for (Eigen::Index i = 0; i < size; ++i) {
      const double own = block.between(i, i);
      scale[i] = own > 0 ? std::sqrt(variances[slots[static_cast<std::size_t>(i)]] / own) : 0;
    }
    const MatrixXd doubt = scale.asDiagonal() * block.between * scale.asDiagonal();
    const Eigen::LDLT<MatrixXd> solver(block.inverse);
    const VectorXd needed = solver.solve(weights);  // B·w
    const MatrixXd of_noise = solver.solve(doubt);  // B·V
    importances.shares[attribute] = factor * std::max(weights.dot(needed), 0.0);
    if (solution.shrink > 0)
      importances.errors[attribute] =
          factor *
          std::sqrt(std::max(
              4 * needed.dot(doubt * needed) + 2 * of_noise.cwiseProduct(of_noise.transpose()).sum(), 0.0));
  }
}

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
