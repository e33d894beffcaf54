#include "learn/solver/pairwise_solver.h"

#include <algorithm>
#include <cmath>

#include "learn/covariance/attribute_units.h"
#include "learn/covariance/pair_kernels.h"
#include "learn/covariance/unseen_pairs.h"
#include "learn/importance/attribute_importance.h"
#include "learn/importance/weight_errors.h"
#include "learn/linalg/l1_ball.h"

namespace glimpse {

namespace {

constexpr double kNoiseShare = 1.2;         // λ over √‖V‖₂ where pairs were never seen
constexpr double kSeenShare = 0.45;         // and less by this where they were seen often
constexpr double kExamplesAWeight = 0.125;  // by which an attribute's own noise in V stays above 0
constexpr double kUsualSquare = 0.02;       // mean square of the correlations that λ reckons with …
constexpr double kLeastStructure = 0.6;     // and its part of λ that stays where they are certainly smaller
constexpr double kLeastFreedom = 0.5;       // degrees
constexpr double kFewAttributes = 2;        // over √p: standard normal deviates up to which α is 0
constexpr double kOpening = 1.25;           // deviates more until α is 1
constexpr double kLeastNoise = 0.5;     // over s/(1 + s), s the share of the label that noise would explain
constexpr std::size_t kPowerSteps = 8;  // for ‖V‖₂, whose entries are all positive
constexpr int kBisections = 100;
constexpr double kAllExamples = 1 - 1e-5;  // of them, as floats count: where every pair was seen in all

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

// The mean of (x − centre)².
double square_about(const AttributeSums& sums, double centre) {
  const double offset = sums.mean() - centre;
  return sums.variance() + offset * offset;
}

// A power of two of about the size of the largest attribute: a unit for all that rounds nothing.
double common_unit(const PairSnapshot& moments) {
  double largest = 0;
  for (std::size_t i = 0; i < moments.dimension(); ++i)
    largest = std::max(largest, square_about(moments[i], moments.centre(i)));
  int exponent = 0;
  std::frexp(std::sqrt(largest), &exponent);
  return std::ldexp(1, exponent);
}

}  // namespace

PairwiseChoice PairwiseSolver::solve(const PairSnapshot& moments, const std::optional<NormBall>& ball,
                                     Model& model, const Cancelled& cancelled, std::size_t steps) {
  label_.reset();
  shared_signal_.reset();
  fill_matrix(moments, ball.has_value());
  return solve_prepared(moments, ball, model, cancelled, steps);
}

void PairwiseSolver::fill_matrix(const PairSnapshot& moments, bool in_ball) {
  prepare(moments, in_ball);
  noise_level_ = ridge_factor_ * noise_level(moments);
  fill_covariances(moments);
  if (complete_)
    evidence_of_ridge_.begin(matrix_, d_,
                             [this](std::span<const double> x, std::span<double> y) { multiply(x, y); });
}

PairwiseChoice PairwiseSolver::solve_prepared(const PairSnapshot& moments,
                                              const std::optional<NormBall>& ball, Model& model,
                                              const Cancelled& cancelled, std::size_t steps) {
  model.weights.assign(d_, 0.0);
  model.bias = label_centre(moments);
  PairwiseChoice choice;
  choice.ridge = noise_level_;
  quadratic_ = 0;
  in_sample_ = 0;
  in_squares_ = 0;
  leverages_.assign(d_, 0.0);
  in_l1_ball_ = false;
  choice_ = choice;

  // A space ends where a product is 0.
  const Multiply product = [&](std::span<const double> x, std::span<double> y) {
    if (cancelled && cancelled()) {
      std::fill(y.begin(), y.end(), 0.0);
    } else {
      multiply(x, y);
    }
  };
  const auto inverse = [&](double x) { return 1 / (std::max(x, 0.0) + choice.ridge); };
  space_.build(target_, steps, product);
  if (complete_ && norm(target_) > 0)
    choice.ridge = ridge_factor_ * evidence_of_ridge_.most_likely(space_, label_square_, examples_);
  if (!(norm(target_) > 0) || !(choice.ridge > 0)) return choice;

  if (!always_open_ && !complete_) choice.shrink = shared_signal_ ? *shared_signal_ : signal_share();
  space_.apply(inverse, weights_);
  if (ball && choice.shrink > 0) {
    const double radius = ball->radius * units_[0] / choice.shrink;  // the units are all the same
    if (ball->norm == Ball::kL2) enter_l2_ball(radius, choice);
    if (ball->norm == Ball::kL1) in_l1_ball_ = enter_l1_ball(radius, choice);
  }
  choice_ = choice;
  quadratic_ = positive_quadratic();
  if (!always_open_) choice.shrink *= length_share(moments);
  choice_ = choice;
  for (std::size_t i = 0; i < d_; ++i) {
    model.weights[i] = choice.shrink * weights_[i] / units_[i];
    model.bias -= model.weights[i] * moments.centre(i);
  }
  return choice;
}

void PairwiseSolver::enter_l2_ball(double radius, PairwiseChoice& choice) {
  if (norm(weights_) <= radius) return;
  const auto too_long = [&](double ridge) {
    space_.apply([&](double x) { return 1 / (std::max(x, 0.0) + ridge); }, weights_);
    return norm(weights_) > radius;
  };
  double low = choice.ridge;
  double high = choice.ridge;
  while (too_long(high)) high *= 2;
  for (int i = 0; i < kBisections && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    (too_long(middle) ? low : high) = middle;
  }
  choice.ridge = high;
  too_long(high);
}

bool PairwiseSolver::enter_l1_ball(double radius, const PairwiseChoice& choice) {
  if (l1_norm(weights_) <= radius) return false;
  space_.factors([](double x) { return x; }, factors_);
  l1_.minimise({choice.ridge, factors_, target_}, radius, weights_);
  return true;
}

// Of the weights as solved for, without α.
double PairwiseSolver::positive_quadratic() const {
  if (!in_l1_ball_) {
    const double ridge = choice_.ridge;
    return space_.quadratic([ridge](double x) {
      return std::max(x, 0.0) / ((std::max(x, 0.0) + ridge) * (std::max(x, 0.0) + ridge));
    });
  }
  double sum = 0;
  for (std::size_t z = 0; z < factors_.size(); z += d_) {
    double product = 0;
    for (std::size_t i = 0; i < d_; ++i) product += factors_[z + i] * weights_[i];
    sum += product * product;
  }
  return sum;
}

void PairwiseSolver::replace(const PairSnapshot& moments, const Model& model) {
  if (d_ == 0) return;
  for (std::size_t i = 0; i < d_; ++i) weights_[i] = model.weights[i] * units_[i];
  std::vector<double> products(d_);
  multiply(weights_, products);
  quadratic_ = 0;
  for (std::size_t i = 0; i < d_; ++i) quadratic_ += weights_[i] * products[i];
  choice_.shrink = 1;
  length_share(moments);
}

// TargetMoments::noise.
double PairwiseSolver::bare_error(const Model& model) const {
  double explained = 0;
  double squares = 0;
  for (std::size_t i = 0; i < d_; ++i) {
    const double weight = model.weights[i] * units_[i];
    explained += weight * target_[i];
    squares += weight * weight;
  }
  const double shrink = choice_.shrink * choice_.shrink;
  return label_square_ - 2 * explained + shrink * quadratic_ +
         (complete_ ? choice_.ridge : noise_level_) * squares;
}

double PairwiseSolver::least_error() const {
  return kLeastNoise * in_sample_ / (1 + in_sample_) * label_square_;
}

double PairwiseSolver::expected_error(const Model& model) const {
  return std::max(bare_error(model), least_error());
}

Importances PairwiseSolver::importances(const PairSnapshot& moments, const Model& model) const {
  const double label_variance = this->label_variance(moments);
  if (!(label_variance > 0) || !(choice_.ridge > 0)) return {};
  std::vector<double> covariance(d_);
  for (std::size_t i = 0; i < d_; ++i) covariance[i] = static_cast<double>(matrix_[i * d_ + i]);
  const SolvedFor solution{weights_, choice_.shrink, covariance, expected_error(model), label_variance};
  const InverseDiagonals diagonals = inverse_diagonals(space_, covariance, choice_.ridge);
  const std::vector<double> variances = weight_variances(moments, solution, diagonals);
  Importances known = attribute_importances(solution, diagonals, variances);
  add_category_importances(moments.features(), solution, space_, choice_.ridge, variances, known);
  return known;
}

std::vector<double> PairwiseSolver::weight_errors(const PairSnapshot& moments,
                                                  const Cancelled& cancelled) const {
  if (d_ == 0 || !(choice_.ridge > 0) || !(choice_.shrink > 0) || in_l1_ball_) return {};
  std::vector<double> errors;
  if (complete_) {
    errors = posterior_errors();
  } else {
    const SolvedWeights solution{weights_, choice_.shrink, variance_,    shrinkage_,
                                 matrix_,  choice_.ridge,  label_square_};
    errors = glimpse::weight_errors(moments, solution, cancelled);
  }
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] /= units_[i];
  return errors;
}

// λ is the weights' prior: they are normal about those of the solution, of covariance σ²(Ĉ + λI)⁻¹/n.
std::vector<double> PairwiseSolver::posterior_errors() const {
  double explained = 0;
  for (std::size_t i = 0; i < d_; ++i) explained += weights_[i] * target_[i];
  if (!(quadratic_ >= kLeastKept * explained)) return {};
  const double rest = label_square_ - explained;
  std::vector<double> errors = inverse_diagonals(space_, variance_, choice_.ridge).inverse;
  for (std::size_t i = 0; i < d_; ++i)
    errors[i] = variance_[i] > 0 ? std::sqrt(std::max(rest, 0.0) * errors[i] / examples_) : std::nan("");
  return errors;
}

// A/L, and 1 where L is not above A. L goes to quadratic_, if that is smaller.
double PairwiseSolver::length_share(const PairSnapshot& moments) {
  double explained = 0;   // A = wᵀb̂
  double length = 0;      // L so far
  double in_sample = 0;   // Σ g_i
  double in_squares = 0;  // Σ g_i²
  double in_target = 0;   // Σ g_i·(n_i − 1)/(n_i + 1)
  double all_pairs = 0;
  for (const double count : pairs_) all_pairs += count;
  const std::vector<double> shares = attribute_shares(moments.features(), pairs_, all_pairs);
  std::vector<double> z(d_);
  for (std::size_t i = 0; i < d_; ++i) {
    const double n = moments[i].weight();
    explained += weights_[i] * target_[i];
    length += weights_[i] * weights_[i] * variance_[i];
    if (pairs_[i] > 0) z[i] = weights_[i] / pairs_[i] * std::sqrt(1 - shares[i]);
    if (!(n > 0)) continue;
    const double leverage = variance_[i] / (variance_[i] + choice_.ridge + among_[i] / n) / (n + 1);
    leverages_[i] = leverage;
    in_sample += leverage;
    in_squares += leverage * leverage;
    in_target += leverage * std::max(n - 1, 0.0) / (n + 1);
  }
  in_sample_ = in_sample;
  in_squares_ = in_squares;
  if (complete_) return 1;
  double products = 0;
  for (std::size_t i = 0; i + 1 < d_; ++i)
    products += z[i] * pair_kernels_.product(row(moments, i), z.data() + i + 1);
  length += among_indicators(moments, units_, weights_, z, all_pairs);
  length += 2 * all_pairs * products - in_sample * in_target * label_square_;
  if (!(length > explained)) return 1;
  quadratic_ = std::max(quadratic_, length);
  return explained / length;
}

double PairwiseSolver::signal_share(double ratio, double p) {
  if (!(p > 0)) return 1;
  // Wilson & Hilferty (1931): the cube root of χ²/p is nearly normal, whatever p.
  const double spread = 2 / (9 * p);
  const double deviate = (std::cbrt(ratio) - (1 - spread)) / std::sqrt(spread);
  return std::clamp((deviate - kFewAttributes / std::sqrt(p)) / kOpening, 0.0, 1.0);
}

void PairwiseSolver::prepare(const PairSnapshot& moments, bool own_units) {
  d_ = moments.dimension();
  if (matrix_.size() != d_ * d_) matrix_ = LargeArray<float>(d_ * d_);
  examples_ = moments.label().weight;
  complete_ = !own_units && moments.targets() <= 2 && is_complete(moments);
  AttributeUnits units = balanced_units(moments.attributes());
  freedom_ = 1 / (2 * units.spread);
  units_ = own_units ? std::vector<double>(d_, common_unit(moments)) : std::move(units.units);
  for (std::size_t i = 0; complete_ && i < d_; ++i) {
    const double deviation = std::sqrt(square_about(moments[i], moments.centre(i)));
    units_[i] = deviation > 0 ? deviation : 1;
  }
  if (!own_units)
    for (std::size_t i = 0; i < stretch_.size(); ++i) units_[i] *= stretch_[i];
  variance_.assign(d_, 0.0);
  squares_.assign(d_, 0.0);
  shrinkage_.resize(d_);
  scale_.resize(d_);
  for (std::size_t i = 0; i < d_; ++i) shrinkage_[i] = covariance_shrinkage(moments[i]);
  double squares = 0;
  double counts = 0;
  for (std::size_t i = 0; i < d_; ++i) {
    const AttributeSums& s = moments[i];
    squares_[i] = s.weight() * square_about(s, moments.centre(i)) / (units_[i] * units_[i]);
    squares += squares_[i];
    counts += s.weight();
  }
  prepare_label(moments);
  const double pooled = counts > 0 ? squares / counts : 0;
  for (std::size_t i = 0; i < d_; ++i)
    variance_[i] = complete_ ? squares_[i] / count_of(moments[i])
                             : (squares_[i] + pooled / 2) / (moments[i].weight() + 0.5);
}

// Attributes that were never seen have no part in it.
bool PairwiseSolver::is_complete(const PairSnapshot& moments) const {
  const double all = kAllExamples * examples_;
  const auto is_seen = [&](std::size_t i) { return moments[i].weight() > 0; };
  for (std::size_t i = 0; i < d_; ++i) {
    if (!is_seen(i)) continue;
    if (moments[i].weight() < all) return false;
    const std::span<const float> counts = moments.weights(i);
    for (std::size_t k = 0; k < counts.size(); ++k)
      if (static_cast<double>(counts[k]) < all && is_seen(i + 1 + k)) return false;
  }
  return all > 0;
}

// What sums are divided by.
double PairwiseSolver::count_of(const AttributeSums& sums) const {
  if (!complete_) return sums.weight() + 1;
  return sums.weight() > 0 ? sums.weight() : 1;
}

void PairwiseSolver::prepare_label(const PairSnapshot& moments) {
  target_.assign(d_, 0.0);
  noise_.assign(d_, 0.0);
  evidence_ = 0;
  null_mean_ = 0;
  null_squares_ = 0;
  weights_.assign(d_, 0.0);
  const double label_offset = label_mean(moments) - label_centre(moments);
  label_square_ = label_variance(moments) + label_offset * label_offset;
  const double label_deviation = std::sqrt(label_square_);
  for (std::size_t i = 0; i < d_; ++i) {
    const double n = count_of(moments[i]);
    const auto co_moment = [&](std::size_t half) {
      return label_ ? moments.target_co_moment(i, half, *label_) : moments.label_co_moment(i, half);
    };
    const double first = co_moment(0) / units_[i];
    const double second = co_moment(1) / units_[i];
    target_[i] = (first + second) / n;
    evidence_ += target_[i] * target_[i] * n;
    noise_[i] = label_deviation / std::sqrt(n);
    const double null = squares_[i] * noise_[i] * noise_[i];
    null_mean_ += null;
    null_squares_ += null * null;
  }
}

double PairwiseSolver::noise_level(const PairSnapshot& moments) {
  // Nothing of an attribute that was never seen is in b̂ or Ĉ.
  std::vector<double> variance(variance_);
  for (std::size_t i = 0; i < d_; ++i) {
    scale_[i] = moments.unit(i) / units_[i];
    if (!(moments[i].weight() > 0)) variance[i] = 0;
  }
  // What of n examples' noise is that of b̂ as well is the less, the fewer they are beside the weights.
  const auto weights_there =
      static_cast<double>(std::count_if(variance.begin(), variance.end(), [](double v) { return v > 0; }));
  std::vector<double> examples(d_);
  for (std::size_t i = 0; i < d_; ++i)
    examples[i] = moments[i].weight() + kExamplesAWeight * std::max(weights_there, 1.0);
  PairSurvey survey;
  pairs_.assign(d_, 0.0);
  among_.assign(d_, 0.0);
  for (std::size_t i = 0; i < d_; ++i) {
    matrix_[i * d_ + i] = 0;
    pair_kernels_.survey(row(moments, i), variance[i], variance.data() + i + 1, examples[i],
                         examples.data() + i + 1, survey, {&pairs_[i], &among_[i]},
                         {pairs_.data() + i + 1, among_.data() + i + 1}, matrix_.data() + (i * d_ + i + 1));
  }
  leave_out_indicator_pairs(moments, pairs_);
  unseen_.find(moments, {units_, variance_, target_, label_square_}, pairs_);
  unseen_.for_each(moments, [this](std::size_t i, std::size_t j) {
    matrix_[i * d_ + j] = static_cast<float>(unseen_.doubt(i, j));
  });
  const double weights = sum_of(survey.weights);
  const double most =
      weights > 0 ? (std::max(sum_of(survey.excess), 0.0) + 2 * std::sqrt(sum_of(survey.variance))) / weights
                  : 1;
  const double structure = std::clamp(std::sqrt(most / kUsualSquare), kLeastStructure, 1.0);
  const double uncorrelated = (1 - structure) / (1 - kLeastStructure);
  for (double& shrinkage : shrinkage_) shrinkage = 1 + uncorrelated * (shrinkage - 1);
  for (std::size_t i = 0; complete_ && i < d_; ++i)
    if (moments[i].weight() > 0) shrinkage_[i] = 0;
  const double all = sum_of(survey.all);
  const double factor = structure * (kNoiseShare - kSeenShare * (all > 0 ? sum_of(survey.seen) / all : 1));
  if (d_ == 1)
    return factor * variance_[0] * std::sqrt(kExamplesAWeight / (examples[0] * (moments[0].weight() + 1)));
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

void PairwiseSolver::fill_covariances(const PairSnapshot& moments) {
  EightSums null_squares{};
  for (std::size_t i = 0; i < d_; ++i) {
    const double count = std::max(effective_count(moments[i]), kLeastEffective);
    const double freedom = std::max(count - 1 + freedom_, kLeastFreedom);
    const double doubt = complete_ ? 0 : 1 / std::sqrt(count) + 4 / (freedom * freedom);
    matrix_[i * d_ + i] = static_cast<float>(variance_[i] * (1 + doubt));
    pair_kernels_.shrink(row(moments, i), shrinkage_[i], shrinkage_.data() + i + 1, noise_[i],
                         noise_.data() + i + 1, null_squares, matrix_.data() + (i * d_ + i + 1));
  }
  null_pairs_ = 2 * sum_of(null_squares);
  null_squares_ += null_pairs_;
  if (label_square_ > 0) null_pairs_ /= label_square_ * label_square_;
  unseen_.for_each(moments, [&](std::size_t i, std::size_t j) {
    matrix_[i * d_ + j] = static_cast<float>(unseen_.covariance(moments, i, j));
  });
}

PairRow PairwiseSolver::row(const PairSnapshot& moments, std::size_t i) const {
  return {moments.weights(i).data(), moments.covariances(i).data(), scale_[i], scale_.data() + i + 1,
          d_ - i - 1};
}

void PairwiseSolver::multiply(std::span<const double> x, std::span<double> y) const {
  kernels_.symmetric_product(matrix_.data(), d_, x.data(), y.data());
}

// Solutions for further labels from the same matrix.

// The null distribution of each target is scaled from that of the one that varies most.
void PairwiseSolver::begin_targets(const PairSnapshot& moments, bool in_ball) {
  std::size_t most = 0;
  for (std::size_t t = 1; t < moments.targets(); ++t)
    if (moments.target(t).variance() > moments.target(most).variance()) most = t;
  label_ = most;
  fill_matrix(moments, in_ball);
  double ratios = 0;
  double degrees = 0;
  double targets = 0;
  for (std::size_t t = 0; t < moments.targets(); ++t) {
    prepare_target(moments, t);
    if (!(null_mean_ > 0)) continue;
    ratios += evidence_ / null_mean_;
    degrees += null_mean_ * null_mean_ / null_squares_;
    ++targets;
  }
  shared_signal_ = targets > 1 ? signal_share(ratios / targets, degrees * (targets - 1) / targets) : 1;
}

void PairwiseSolver::prepare_target(const PairSnapshot& moments, std::size_t target) {
  label_ = target;
  prepare_label(moments);
  null_squares_ += null_pairs_ * label_square_ * label_square_;
}

PairwiseChoice PairwiseSolver::solve_target(const PairSnapshot& moments, std::size_t target,
                                            const std::optional<NormBall>& ball, Model& model,
                                            const Cancelled& cancelled, std::size_t steps) {
  prepare_target(moments, target);
  return solve_prepared(moments, ball, model, cancelled, steps);
}

double PairwiseSolver::label_mean(const PairSnapshot& moments) const {
  return label_ ? moments.target(*label_).mean() : moments.label().mean();
}

double PairwiseSolver::label_centre(const PairSnapshot& moments) const {
  return label_ ? moments.target_centre(*label_) : moments.label_centre();
}

double PairwiseSolver::label_variance(const PairSnapshot& moments) const {
  return label_ ? moments.target(*label_).variance() : moments.label().variance();
}

}  // namespace glimpse
