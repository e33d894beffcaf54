#include "learn/importance/weight_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/large_array.h"
#include "base/random.h"
#include "learn/linalg/dense_kernels.h"
#include "learn/linalg/spectral_solver.h"

namespace glimpse {

namespace {

constexpr std::uint64_t kSeed = 0x676c696d70736531;
constexpr double kNoiseSquare = 4;              // z², below which a covariance counts as noise
constexpr double kLeastValue = 0.05;            // of the population's correlations
constexpr std::size_t kLeastSteps = 40;         // of Lanczos, to find the least one
constexpr double kMostExplainedOfLabel = 0.95;  // of the label
constexpr double kTogether = 0.02;              // Σ_j f_ij/(d − 1) below which noises count as independent
constexpr std::size_t kRootSteps = 12;

// Of variance 1: the sum of four uniform numbers. Sums of many are what counts.
double normal(Random& random) {
  const std::uint64_t bits = random.bits();
  const auto sum =
      static_cast<double>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
  return (sum - 131070) * (1.7320508075688772 / 65536);
}

class Resampling {
 public:
  Resampling(const PairSnapshot& moments, const SolvedWeights& solution)
      : moments_(moments),
        solution_(solution),
        d_(solution.weights.size()),
        deviation_(d_),
        matrix_(d_ * d_),
        weights_(solution.weights.begin(), solution.weights.end()),
        target_(d_),
        own_noise_(d_),
        together_(d_) {
    for (std::size_t i = 0; i < d_; ++i) deviation_[i] = std::sqrt(solution.variance[i]);
  }

  // Population, its weights and b̃.
  void begin() {
    for (std::size_t i = 0; i < d_; ++i) {
      at(i, i) = 1;
      for (std::size_t j = i + 1; j < d_; ++j) at(i, j) = static_cast<float>(correlation(i, j));
    }
    keep_ = 1 - share_of_noise();
    fill_population();
    multiply(weights_, target_);
    double explained = dot(weights_, target_);
    if (explained > kMostExplainedOfLabel * solution_.label_square) {
      const double factor = std::sqrt(kMostExplainedOfLabel * solution_.label_square / explained);
      for (double& w : weights_) w *= factor;
      for (double& b : target_) b *= factor;
      explained *= factor * factor;
    }
    set_own_noise(std::max(solution_.label_square - explained, 0.0));
  }

  std::span<const double> weights() const { return weights_; }

  // w' − w of another sample.
  std::vector<double> sample(Random& random) {
    std::vector<double> target = noise_of_targets(random);
    for (std::size_t i = 0; i < d_; ++i) target[i] += target_[i];
    for (std::size_t i = 0; i < d_; ++i) {
      at(i, i) = covariance(i, i);
      const double n = std::max(moments_[i].weight(), 1e-300);
      double noise = 0;
      for (std::size_t j = i + 1; j < d_; ++j) {
        const double known = population(i, j);
        const double pair = moments_.weight(i, j);
        if (!(pair > 0)) {
          at(i, j) = static_cast<float>(known);
          continue;
        }
        const double product = solution_.variance[i] * solution_.variance[j];
        const double error = std::sqrt((product + known * known) / (pair + 1)) * normal(random);
        noise += weights_[j] * std::min(pair / n, 1.0) * error;
        target[j] += weights_[i] * std::min(pair / moments_[j].weight(), 1.0) * error;
        const double shrinkage = std::max(solution_.shrinkage[i], solution_.shrinkage[j]);
        at(i, j) = static_cast<float>((known + error) * pair / (pair + shrinkage));
      }
      target[i] += noise;
    }
    space_.build(target, kResampleSteps, product_);
    std::vector<double> result(d_);
    space_.apply([this](double x) { return 1 / (std::max(x, 0.0) + solution_.ridge); }, result);
    for (std::size_t i = 0; i < d_; ++i) result[i] = solution_.shrink * result[i] - weights_[i];
    return result;
  }

 private:
  float& at(std::size_t i, std::size_t j) { return matrix_[i * d_ + j]; }
  float covariance(std::size_t i, std::size_t j) const { return solution_.covariances[i * d_ + j]; }
  void multiply(std::span<const double> x, std::span<double> y) const {
    kernels_.symmetric_product(matrix_.data(), d_, x.data(), y.data());
  }
  static double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  // What is left of Ĉ_ij without what looks like noise, as a correlation. Pairs that were never seen have
  // what others tell of them.
  double correlation(std::size_t i, std::size_t j) const {
    const double scale = deviation_[i] * deviation_[j];
    if (!(scale > 0)) return 0;
    const double c = static_cast<double>(covariance(i, j)) / scale;
    const double pair = moments_.weight(i, j);
    if (!(pair > 0)) return c;
    const double square = c * c * (pair + 1);
    return square > kNoiseSquare ? c * (1 - kNoiseSquare / square) : 0;
  }
  double population(std::size_t i, std::size_t j) const {
    return keep_ * correlation(i, j) * deviation_[i] * deviation_[j];
  }

  // t, for the correlations in matrix_.
  double share_of_noise() {
    Random random(kSeed);
    std::vector<double> begin(d_);
    for (double& x : begin) x = normal(random);
    space_.build(begin, kLeastSteps, product_);
    const double least = space_.eigenvalues().empty() ? 1 : space_.eigenvalues().front();
    return least < kLeastValue ? (kLeastValue - least) / (1 - least) : 0;
  }

  void fill_population() {
    for (std::size_t i = 0; i < d_; ++i) {
      at(i, i) = static_cast<float>(solution_.variance[i]);
      for (std::size_t j = i + 1; j < d_; ++j) at(i, j) = static_cast<float>(population(i, j));
    }
  }

  void set_own_noise(double rest) {
    std::vector<double> hidden(d_);
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = i + 1; j < d_; ++j) {
        const double pair = moments_.weight(i, j);
        add_pair(i, j, pair, hidden);
        add_pair(j, i, pair, hidden);
      }
    }
    for (std::size_t i = 0; i < d_; ++i) {
      own_noise_[i] = std::sqrt(solution_.variance[i] * (rest + hidden[i]) / (moments_[i].weight() + 1));
      if (d_ > 1) together_[i] /= static_cast<double>(d_ - 1);
      most_together_ = std::max(most_together_, together_[i]);
    }
  }
  void add_pair(std::size_t i, std::size_t j, double pair, std::vector<double>& hidden) {
    const double n = moments_[i].weight();
    if (!(n > 0)) return;
    const double share = std::min(pair / n, 1.0);
    hidden[i] += weights_[j] * weights_[j] * solution_.variance[j] * (1 - share);
    together_[i] += share;
  }

  // u.
  std::vector<double> noise_of_targets(Random& random) {
    std::vector<double> apart(d_);
    for (double& x : apart) x = normal(random);
    std::vector<double> common;
    if (most_together_ > kTogether) common = correlated(random);
    for (std::size_t i = 0; i < d_; ++i) {
      const double share = common.empty() ? 0 : together_[i];
      const double both = share > 0 ? std::sqrt(share) * common[i] : 0;
      apart[i] = own_noise_[i] * (std::sqrt(1 - share) * apart[i] + both);
    }
    return apart;
  }
  // As the population's attributes are, each of variance 1.
  std::vector<double> correlated(Random& random) {
    fill_population();
    std::vector<double> x(d_);
    for (double& value : x) value = normal(random);
    space_.build(x, kRootSteps, product_);
    space_.apply([](double value) { return std::sqrt(std::max(value, 0.0)); }, x);
    for (std::size_t i = 0; i < d_; ++i) x[i] = deviation_[i] > 0 ? x[i] / deviation_[i] : 0;
    return x;
  }

  const PairSnapshot& moments_;
  const SolvedWeights& solution_;
  const std::size_t d_;
  const DenseKernels& kernels_ = fastest_dense_kernels();
  const Multiply product_ = [this](std::span<const double> x, std::span<double> y) { multiply(x, y); };
  double keep_ = 1;  // 1 − t
  std::vector<double> deviation_;
  LargeArray<float> matrix_;
  std::vector<double> weights_;    // of the population
  std::vector<double> target_;     // b̃
  std::vector<double> own_noise_;  // the deviation of u
  std::vector<double> together_;   // Σ_j f_ij/(d − 1)
  double most_together_ = 0;
  KrylovSpace space_;
};

}  // namespace

std::vector<double> weight_errors(const PairSnapshot& moments, const SolvedWeights& solution,
                                  const std::function<bool()>& cancelled) {
  const std::size_t d = solution.weights.size();
  Resampling resampling(moments, solution);
  resampling.begin();
  Random random(kSeed + 1);
  std::vector<double> sums(d);
  std::vector<double> squares(d);
  for (int r = 0; r < kResamples; ++r) {
    if (cancelled && cancelled()) return {};
    const std::vector<double> off = resampling.sample(random);
    for (std::size_t i = 0; i < d; ++i) {
      sums[i] += off[i];
      squares[i] += off[i] * off[i];
    }
  }
  const std::span<const double> weights = resampling.weights();
  std::vector<double> errors(d, std::numeric_limits<double>::quiet_NaN());
  double drawn = 0;  // Σ Ĉ_jj·(m_j² − s_j²/kResamples)
  double kept = 0;   // ΣĈ_jj(w_j + m_j)w_j
  double all = 0;    // ΣĈ_jjw_j²
  std::size_t seen = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double variance = solution.variance[i];
    if (!(moments[i].weight() > 0) || !(variance > 0)) continue;
    const double mean = sums[i] / kResamples;
    errors[i] = std::max(squares[i] - kResamples * mean * mean, 0.0) / (kResamples - 1);  // s² so far
    drawn += variance * (mean * mean - errors[i] / kResamples);
    kept += variance * (weights[i] + mean) * weights[i];
    all += variance * weights[i] * weights[i];
    ++seen;
  }
  if (!(kept >= kLeastKept * all) || !(all > 0)) return {};
  drawn = std::max(drawn, 0.0) / static_cast<double>(seen) / std::sqrt(std::min(kept / all, 1.0));
  for (std::size_t i = 0; i < d; ++i)
    if (!std::isnan(errors[i])) errors[i] = std::sqrt(errors[i] + drawn / solution.variance[i]);
  return errors;
}

}  // namespace glimpse
