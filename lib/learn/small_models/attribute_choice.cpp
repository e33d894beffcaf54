#include "learn/small_models/attribute_choice.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <Eigen/Cholesky>

namespace glimpse {

ForwardSelection::ForwardSelection(std::span<const float> covariances, std::span<const double> target,
                                   double variance, double ridge)
    : covariances_(covariances),
      ridge_(ridge),
      left_(variance),
      least_(target.size()),
      target_(target.begin(), target.end()),
      variance_(target.size()) {
  for (std::size_t i = 0; i < dimension(); ++i) {
    variance_[i] = covariance(i, i) + ridge_;
    least_[i] = kLeastLeft * variance_[i];
  }
}

double ForwardSelection::covariance(std::size_t i, std::size_t j) const {
  const auto [first, second] = std::minmax(i, j);
  return static_cast<double>(covariances_[first * dimension() + second]);
}

void ForwardSelection::read_row(std::size_t i, std::span<double> row) const {
  const std::size_t d = dimension();
  for (std::size_t j = 0; j < i; ++j) row[j] = static_cast<double>(covariances_[j * d + i]);
  for (std::size_t j = i; j < d; ++j) row[j] = static_cast<double>(covariances_[i * d + j]);
}

double ForwardSelection::residual(std::size_t i, std::size_t j) const {
  if (i == j) return variance_[i];
  double sum = covariance(i, j);
  for (const std::vector<double>& column : columns_) sum -= column[i] * column[j];
  const double most = std::sqrt(variance_[i] * variance_[j]);
  return std::clamp(sum, -most, most);
}

double ForwardSelection::gain(std::span<const std::size_t> features) const {
  if (features.size() == 1) return gain(features.front());
  const auto m = static_cast<Eigen::Index>(features.size());
  Eigen::MatrixXd left(m, m);
  Eigen::VectorXd target(m);
  for (Eigen::Index a = 0; a < m; ++a) {
    const std::size_t i = features[static_cast<std::size_t>(a)];
    target[a] = target_[i];
    for (Eigen::Index b = a; b < m; ++b)
      left(a, b) = left(b, a) = residual(i, features[static_cast<std::size_t>(b)]);
    left(a, a) += kLeastLeft * variance_[i];
  }
  const Eigen::LDLT<Eigen::MatrixXd> solver(left);
  return solver.isPositive() ? std::clamp(target.dot(solver.solve(target)), 0.0, left_) : 0;
}

void ForwardSelection::add(std::size_t i) {
  const std::size_t d = dimension();
  std::vector<double> column(d);
  read_row(i, column);
  for (const std::vector<double>& earlier : columns_) {
    const double factor = earlier[i];
    for (std::size_t j = 0; j < d; ++j) column[j] -= factor * earlier[j];
  }
  const double root = std::sqrt(variance_[i]);
  const double most_solved = std::sqrt(left_);
  const double solved = root > 0 ? std::clamp(target_[i] / root, -most_solved, most_solved) : 0;
  left_ = std::max(left_ - solved * solved, 0.0);
  for (std::size_t j = 0; j < d; ++j) {
    const double most = std::sqrt(variance_[j]);
    column[j] = root > 0 ? std::clamp(column[j] / root, -most, most) : 0;
    target_[j] -= column[j] * solved;
    variance_[j] = std::max(variance_[j] - column[j] * column[j], least_[j]);
  }
  column[i] = root;
  target_[i] = 0;
  variance_[i] = 0;
  for (const std::size_t j : chosen_) {
    column[j] = 0;
    target_[j] = 0;
    variance_[j] = 0;
  }
  chosen_.push_back(i);
  columns_.push_back(std::move(column));
}

namespace {

constexpr std::uint64_t kErrorSeed = 0x676c696d70736532;
constexpr int kErrorResamples = 64;
// Noises of candidates are alike, as attributes are, so that the best of them is less by chance than of as
// many independent ones: measured, EXPERIMENTS.md.
constexpr double kAlike = 0.5;
// Over the λ of the full solve, which is for the noise of all attributes: that of a few is less. A larger one
// parts attributes that predict together alone.
constexpr double kChoiceRidge = 0.25;
constexpr double kLeastPrice = 1e-9;  // what costs nothing comes first

// Of variance 1: the sum of four uniform numbers.
double nearly_normal(Random& random) {
  const std::uint64_t bits = random.bits();
  const auto sum =
      static_cast<double>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
  return (sum - 131070) * (1.7320508075688772 / 65536);
}

}  // namespace

std::vector<std::vector<std::size_t>> features_of_attributes(const PairSnapshot& moments) {
  const FeatureMap& map = moments.features();
  const bool is_plain = map.is_plain();
  std::vector<std::vector<std::size_t>> features(is_plain ? moments.dimension() : map.attributes());
  for (std::size_t slot = 0; slot < moments.dimension(); ++slot)
    if ((is_plain || map.is_feature(slot)) && moments[slot].weight() > 0)
      features[is_plain ? slot : map.owner(slot)].push_back(slot);
  return features;
}

double ridge_of_choice(const SolvedMoments& solved) {
  const double ridge = kChoiceRidge * solved.ridge;
  return std::max(ridge, ridge / 2 - solved.least_value);
}

struct AttributeChoice::Candidate {
  Attribute attribute = 0;
  double price = 1;
  double gain = 0;   // of the moments as they are
  double noise = 0;  // what a gain of nothing would be in the mean
  double share = 1;  // of the noise that is in the gain's own direction

  double score(double fall) const { return fall > 0 ? fall / price : fall * price; }
  double fall() const { return gain - noise; }
};

AttributeChoice::AttributeChoice(const PairSnapshot& moments, const SolvedMoments& solved,
                                 const std::vector<std::vector<std::size_t>>& features,
                                 const ChoiceLimits& limits)
    : moments_(moments),
      solved_(solved),
      features_(features),
      limits_(limits),
      selection_(solved.covariances, solved.target, solved.label_square, ridge_of_choice(solved)),
      is_out_(features.size()),
      hidden_(solved.units.size()),
      together_(solved.units.size()),
      error_(solved.label_square),
      random_(kErrorSeed) {
  if (limits.prices != nullptr) bill_.emplace(*limits.prices);
  if (limits.together)
    for (Attribute a = 0; a < is_out_.size(); ++a)
      is_out_[a] = !features_[a].empty() && !limits.together(a, a);
}

double AttributeChoice::noise_of(std::size_t i) const {
  const double left = selection_.variance(i);
  if (!(left > 0)) return 0;
  const double varies = together_[i] * left + (1 - together_[i]) * solved_.variance[i];
  return (varies * error_ / (moments_[i].weight() + 1) + solved_.variance[i] * hidden_[i]) / left;
}

std::vector<AttributeChoice::Candidate> AttributeChoice::candidates() const {
  std::vector<Candidate> found;
  for (Attribute a = 0; a < features_.size(); ++a) {
    const std::vector<std::size_t>& features = features_[a];
    if (is_out_[a] || features.empty()) continue;
    Candidate candidate{.attribute = a};
    if (bill_) {
      const Money next = bill_->next(a);
      if (limits_.cost && add_money(bill_->total(), next) > *limits_.cost) continue;
      if (limits_.by_price) candidate.price = std::max(money_in_units(next), kLeastPrice);
    }
    candidate.gain = selection_.gain(features);
    for (const std::size_t i : features) candidate.noise += noise_of(i);
    candidate.share = 1 / static_cast<double>(features.size());
    found.push_back(candidate);
  }
  return found;
}

std::optional<Attribute> AttributeChoice::next() {
  const std::vector<Candidate> all = candidates();
  const auto best =
      std::ranges::max_element(all, {}, [](const Candidate& each) { return each.score(each.fall()); });
  if (best == all.end()) return std::nullopt;
  optimism_ += kAlike * std::min(optimism_of_choice(all), std::max(best->fall(), 0.0));
  const Attribute chosen = best->attribute;
  chosen_.push_back(chosen);
  is_out_[chosen] = true;
  if (limits_.together)
    for (Attribute a = 0; a < is_out_.size(); ++a)
      if (!is_out_[a] && !limits_.together(a, chosen)) is_out_[a] = true;
  if (bill_) bill_->add(chosen);
  for (const std::size_t i : features_[chosen]) selection_.add(i);
  return chosen;
}

void AttributeChoice::lift_limit() {
  limits_.cost.reset();
  if (!limits_.together) return;
  limits_.together = {};
  is_out_.assign(is_out_.size(), false);
  for (const Attribute a : chosen_) is_out_[a] = true;
}

// By resampling: the candidates' gains are taken to be what is left of them without noise, and drawn with new
// noise. A gain z² of a true (z − ν)² predicts 2zν too well; without a choice that is 2ν² in the mean, which
// is counted elsewhere.
double AttributeChoice::optimism_of_choice(const std::vector<Candidate>& all) {
  double sum = 0;
  for (int sample = 0; sample < kErrorResamples; ++sample) {
    double best_score = -std::numeric_limits<double>::infinity();
    double optimism = 0;
    for (const Candidate& each : all) {
      const double variance = each.noise * each.share;
      const double noise = std::sqrt(variance) * nearly_normal(random_);
      const double root = std::sqrt(std::max(each.fall(), 0.0)) + noise;
      const double score = each.score(root * root - variance);
      if (!(score > best_score)) continue;
      best_score = score;
      optimism = 2 * (root * noise - variance);
    }
    sum += optimism;
  }
  return std::max(sum / kErrorResamples, 0.0);
}

void AttributeChoice::refitted(std::span<const double> weights, double error) {
  error_ = std::clamp(error, 0.0, error_);
  const auto chosen = selection_.chosen();
  for (std::size_t i = 0; i < hidden_.size(); ++i) {
    hidden_[i] = 0;
    together_[i] = 0;
    const double n = moments_[i].weight();
    if (!(n > 0)) continue;
    for (std::size_t m = 0; m < weights.size(); ++m) {
      const std::size_t j = chosen[m];
      if (i == j) continue;
      const double both = moments_.weight(std::min(i, j), std::max(i, j));
      hidden_[i] +=
          weights[m] * weights[m] * solved_.variance[j] * std::max(1 / (both + 1) - 1 / (n + 1), 0.0);
      together_[i] += std::min(both / n, 1.0) / static_cast<double>(chosen.size());
    }
  }
}

namespace {

std::vector<Eigen::Index> indices(std::span<const std::size_t> places) {
  return {places.begin(), places.end()};
}

}  // namespace

BackwardElimination::BackwardElimination(std::span<const float> covariances, std::span<const double> target,
                                         double ridge, std::span<const std::size_t> features) {
  const std::size_t d = target.size();
  const auto n = static_cast<Eigen::Index>(features.size());
  Eigen::MatrixXd a(n, n);
  Eigen::VectorXd b(n);
  for (Eigen::Index x = 0; x < n; ++x) {
    const std::size_t i = features[static_cast<std::size_t>(x)];
    b[x] = target[i];
    for (Eigen::Index y = x; y < n; ++y) {
      const auto [first, second] = std::minmax(i, features[static_cast<std::size_t>(y)]);
      a(x, y) = a(y, x) = static_cast<double>(covariances[first * d + second]);
    }
    a(x, x) += ridge;
  }
  inverse_ = a.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
  weights_ = inverse_ * b;
  explained_ = std::max(b.dot(weights_), 0.0);
}

double BackwardElimination::rise(std::span<const std::size_t> places) const {
  const auto at = indices(places);
  const Eigen::VectorXd w = weights_(at);
  const Eigen::MatrixXd block = inverse_(at, at);
  return std::max(w.dot(block.ldlt().solve(w)), 0.0);
}

void BackwardElimination::remove(std::span<const std::size_t> places) {
  const auto at = indices(places);
  const Eigen::MatrixXd columns = inverse_(Eigen::all, at);
  const Eigen::MatrixXd block = inverse_(at, at);
  const Eigen::VectorXd w = weights_(at);
  const Eigen::LDLT<Eigen::MatrixXd> solver(block);
  weights_ -= columns * solver.solve(w);
  inverse_ -= columns * solver.solve(columns.transpose());
  for (const Eigen::Index i : at) {
    weights_[i] = 0;
    inverse_.row(i).setZero();
    inverse_.col(i).setZero();
  }
}

}  // namespace glimpse
