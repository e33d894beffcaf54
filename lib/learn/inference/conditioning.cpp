#include "learn/inference/conditioning.h"

#include <algorithm>
#include <cmath>

#include "stats/feature_sums.h"

namespace glimpse {

namespace {
constexpr double kNoiseError = 0.3;      // of a solution's noise, as a share: PARTIAL.md
constexpr double kLeastNoiseLeft = 0.1;  // of it that is left whatever the recent examples say
}  // namespace

void covariances(const PairMoments& moments, const FeatureMap& features, const TargetMoments& about,
                 std::span<const Attribute> rows, std::span<const Attribute> columns, std::span<double> out) {
  std::size_t cell = 0;
  for (const Attribute i : rows)
    for (const Attribute j : columns) {
      double& c = out[cell++];
      if (i == j) {
        c = about.variances[i];
        continue;
      }
      const Attribute first = std::min(i, j);
      const Attribute second = std::max(i, j);
      const bool is_plain = features.is_plain();
      const double a = about.means[first];
      const double b = about.means[second];
      const double sum = is_plain ? moments.co_moment(first, second, a, b)
                                  : feature_co_moment(moments, features, first, second, a, b);
      const double weight = is_plain ? moments.pair(first, second).weight
                                     : feature_pair(moments, features, first, second).weight;
      c = covariance(about, i, j, sum, weight);
    }
}

double covariance(const TargetMoments& about, std::size_t i, std::size_t j, double sum, double weight) {
  const double most = std::sqrt(about.variances[i] * about.variances[j]);
  return std::clamp(sum / (weight + std::max(about.shrinkage[i], about.shrinkage[j])), -most, most);
}

TargetMoments no_moments(std::size_t dimension) {
  TargetMoments moments;
  moments.means.assign(dimension, 0.0);
  moments.variances.assign(dimension, 0.0);
  moments.ridge.assign(dimension, 0.0);
  moments.target.assign(dimension, 0.0);
  moments.shrinkage.assign(dimension, 1.0);
  return moments;
}

std::shared_ptr<const Solution> independent_solution(const Learner& learner) {
  auto solution = std::make_shared<Solution>();
  learner.model(solution->model);
  solution->classes = learner.class_model();
  solution->origin = learner.describe().origin.value_or(ModelOrigin{});
  // Of a model with products the part that is linear: they depend on their attributes.
  if (learner.products() != nullptr) solution->model.weights.resize(learner.options().dimension);
  const std::size_t d = solution->model.weights.size();
  TargetMoments& moments = solution->moments;
  moments = no_moments(d);
  const FeatureMap& features = learner.features();
  if (!features.is_plain()) {
    solution->slots = features.slots();
    solution->features = features.slots() - features.categories();
  }
  for (std::size_t i = 0; i < d; ++i) {
    if (features.is_category(i) || i >= features.slots()) continue;
    const Moment known = learner.sampling_row(static_cast<Attribute>(i)).moment;
    const double w = solution->model.weights[i];
    moments.means[i] = known.mean;
    moments.variances[i] = std::max(known.second - known.mean * known.mean, 0.0);
    moments.target[i] = w * moments.variances[i];
    moments.total += w * moments.target[i];
    moments.expected += w * known.mean;
  }
  moments.noise = error_variance(learner, 0);
  return solution;
}

double error_variance(double noise, double doubt, const ProgressiveLoss::Part& losses) {
  if (losses.count < 2) return noise;
  const double prior = doubt * noise;
  // An unbiased estimate of a small error may be negative: then it is of the size of its own error.
  if (!(prior > 0)) return losses.mean > 0 ? losses.mean : losses.standard_error();
  const double error = losses.standard_error();
  if (!(error < HUGE_VAL)) return noise;
  const double ratio = error / prior;
  const double trust = 1 / (1 + ratio * ratio);
  return std::max(noise + trust * (losses.mean - noise), kLeastNoiseLeft * noise);
}

double error_variance(const Learner& learner, double noise) {
  // A solution of few whole examples for each feature fits their noise as well, and says too little.
  const bool is_whole = learner.options().budget >= learner.options().dimension;
  const double fitted = is_whole
                            ? static_cast<double>(learner.features().slots()) /
                                  static_cast<double>(std::max<std::uint64_t>(learner.counts().examples, 1))
                            : 0;
  return error_variance(noise, kNoiseError + fitted, learner.progressive_loss().later());
}

}  // namespace glimpse
