#include "learn/pairwise_solver.h"

#include <algorithm>
#include <cmath>

#include "learn/attribute_units.h"

namespace glimpse {

namespace {

constexpr double kNoiseShare = 1.2;       // λ over √‖V‖₂ where pairs were never seen
constexpr double kSeenShare = 0.45;       // and less by this where they were seen often
constexpr double kVarianceDoubt = 1;      // of the diagonal: in standard errors of a variance
constexpr double kLeastEffective = 0.3;   // reveals
constexpr double kCertainSignal = 1;      // in standard errors, for many attributes …
constexpr double kFewAttributes = 6;      // and over √p more, as the tails of few are heavier
constexpr std::size_t kTargetSteps = 60;  // of Lanczos, for b̂
constexpr std::size_t kNoiseSteps = 25;   // for δ: a quadratic form converges twice as fast
constexpr std::size_t kPowerSteps = 8;    // for ‖V‖₂, whose entries are all positive
constexpr int kBisections = 100;

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

PairwiseChoice PairwiseSolver::solve(const PairMoments& moments, bool bias, std::optional<double> radius,
                                     Model& model) {
  prepare(moments, bias, radius.has_value());
  const double center = bias ? moments.label().mean() : 0;
  model.weights.assign(d_, 0.0);
  model.bias = center;
  PairwiseChoice choice;
  choice.ridge = ridge_factor_ * noise_level(moments);
  fill_covariances(moments);

  const Multiply product = [this](std::span<const double> x, std::span<double> y) { multiply(x, y); };
  const auto inverse = [&](double x) { return 1 / (std::max(x, 0.0) + choice.ridge); };
  space_.build(noise_, kNoiseSteps, product);
  const double noise = space_.quadratic(inverse);
  space_.build(target_, kTargetSteps, product);
  const double total = space_.quadratic(inverse);
  if (!(total > 0) || !(choice.ridge > 0)) return choice;

  if (!always_open_) choice.shrink = signal_share(total, noise);
  space_.apply(inverse, weights_);
  if (radius && choice.shrink * norm(weights_) > *radius) {
    double low = choice.ridge;
    double high = choice.ridge;
    const auto too_long = [&](double ridge) {
      space_.apply([&](double x) { return 1 / (std::max(x, 0.0) + ridge); }, weights_);
      return choice.shrink * norm(weights_) > *radius;
    };
    while (too_long(high)) high *= 2;
    for (int i = 0; i < kBisections && low < high; ++i) {
      const double middle = low + (high - low) / 2;
      (too_long(middle) ? low : high) = middle;
    }
    choice.ridge = high;
    space_.apply(inverse, weights_);
  }
  for (std::size_t i = 0; i < d_; ++i) {
    model.weights[i] = choice.shrink * weights_[i] / units_[i];
    model.bias -= model.weights[i] * centre_[i];
  }
  return choice;
}

double PairwiseSolver::signal_share(double total, double noise) const {
  if (!(noise > 0)) return 1;
  double squares = 0;
  double fourths = 0;
  for (const double x : noise_) {
    squares += x * x;
    fourths += x * x * x * x;
  }
  const double root = std::sqrt(squares * squares / fourths);
  const double errors = root * (total / noise - 1) - 2 / root;
  return std::clamp(errors / (kCertainSignal + kFewAttributes / root), 0.0, 1.0);
}

void PairwiseSolver::prepare(const PairMoments& moments, bool bias, bool own_units) {
  if (d_ != moments.dimension()) matrix_ = LargeArray<float>(moments.dimension() * moments.dimension());
  d_ = moments.dimension();
  units_ = own_units ? std::vector<double>(d_, 1.0) : attribute_units(moments);
  centre_.assign(d_, 0.0);
  variance_.assign(d_, 0.0);
  target_.assign(d_, 0.0);
  noise_.assign(d_, 0.0);
  weights_.assign(d_, 0.0);
  const double label = bias ? moments.label().mean() : 0;
  double squares = 0;
  double counts = 0;
  for (std::size_t i = 0; i < d_; ++i) {
    const AttributeSums& s = moments[i];
    if (bias) centre_[i] = s.mean();
    const double offset = s.mean() - centre_[i];
    variance_[i] = s.weight() * (s.variance() + offset * offset) / (units_[i] * units_[i]);  // S_ii so far
    squares += variance_[i];
    counts += s.weight();
    const double n = s.weight() + 1;
    const double first = moments.label_co_moment(i, 0, centre_[i], label) / units_[i];
    const double second = moments.label_co_moment(i, 1, centre_[i], label) / units_[i];
    target_[i] = (first + second) / n;
    const double n0 = s.halves[0].weight;
    const double n1 = s.halves[1].weight;
    if (n0 > 0 && n1 > 0) noise_[i] = (first / n0 - second / n1) * std::sqrt(n0 * n1) / n;
  }
  const double pooled = counts > 0 ? squares / counts : 0;
  for (std::size_t i = 0; i < d_; ++i)
    variance_[i] = (variance_[i] + pooled / 2) / (moments[i].weight() + 0.5);
}

double PairwiseSolver::noise_level(const PairMoments& moments) {
  double seen = 0;
  double all = 0;
  for (std::size_t i = 0; i < d_; ++i) {
    matrix_[i * d_ + i] = 0;
    for (std::size_t j = i + 1; j < d_; ++j) {
      const double product = variance_[i] * variance_[j];
      const double count = moments.pair(i, j).weight;
      all += product;
      seen += product * (count / (count + 1));
      const auto v = static_cast<float>(product / (count + 1));
      matrix_[i * d_ + j] = v;
      matrix_[j * d_ + i] = v;
    }
  }
  const double factor = kNoiseShare - kSeenShare * (all > 0 ? seen / all : 1);
  if (d_ == 1) return factor * variance_[0] / std::sqrt(moments[0].weight() + 1);
  std::vector<double> x(d_, 1 / std::sqrt(static_cast<double>(d_)));
  std::vector<double> y(d_);
  double length = 0;
  for (std::size_t step = 0; step < kPowerSteps; ++step) {
    multiply(x, y);
    length = norm(y);
    if (!(length > 0)) return 0;
    for (std::size_t i = 0; i < d_; ++i) x[i] = y[i] / length;
  }
  return factor * std::sqrt(length);
}

void PairwiseSolver::fill_covariances(const PairMoments& moments) {
  for (std::size_t i = 0; i < d_; ++i) {
    const double doubt = kVarianceDoubt / std::sqrt(std::max(effective_count(moments[i]), kLeastEffective));
    matrix_[i * d_ + i] = static_cast<float>(variance_[i] * (1 + doubt));
    for (std::size_t j = i + 1; j < d_; ++j) {
      const double sum = moments.co_moment(i, j, centre_[i], centre_[j]);
      const auto c = static_cast<float>(sum / (units_[i] * units_[j] * (moments.pair(i, j).weight + 1)));
      matrix_[i * d_ + j] = c;
      matrix_[j * d_ + i] = c;
    }
  }
}

// The matrix is symmetric, so its rows are its columns: y is a sum of rows, four at a time.
void PairwiseSolver::multiply(std::span<const double> x, std::span<double> y) const {
  for (double& value : y) value = 0;
  std::size_t i = 0;
  for (; i + 4 <= d_; i += 4) {
    const float* r0 = matrix_.data() + i * d_;
    const float* r1 = r0 + d_;
    const float* r2 = r1 + d_;
    const float* r3 = r2 + d_;
    for (std::size_t j = 0; j < d_; ++j)
      y[j] += (x[i] * static_cast<double>(r0[j]) + x[i + 1] * static_cast<double>(r1[j])) +
              (x[i + 2] * static_cast<double>(r2[j]) + x[i + 3] * static_cast<double>(r3[j]));
  }
  for (; i < d_; ++i) {
    const float* row = matrix_.data() + i * d_;
    for (std::size_t j = 0; j < d_; ++j) y[j] += x[i] * static_cast<double>(row[j]);
  }
}

}  // namespace glimpse
