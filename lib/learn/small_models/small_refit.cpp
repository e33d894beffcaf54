#include "learn/small_models/small_refit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>

namespace glimpse {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Index as_place(std::size_t i) { return static_cast<Index>(i); }

// Plain means, in the units of a solution.
class PlainMoments {
 public:
  PlainMoments(const PairSnapshot& moments, const SolvedMoments& solved)
      : moments_(moments), solved_(solved), counts(as_place(solved.units.size())) {
    const Index d = counts.size();
    covariances = MatrixXd::Zero(d, d);
    pairs = MatrixXd::Zero(d, d);
    target = VectorXd::Zero(d);
    for (Index i = 0; i < d; ++i) add_row(i);
  }

 private:
  void add_row(Index i) {
    const auto a = static_cast<std::size_t>(i);
    const double unit = solved_.units[a];
    const double n = moments_[a].weight();
    counts[i] = n;
    if (!(n > 0)) return;
    target[i] = (moments_.label_co_moment(a, 0) + moments_.label_co_moment(a, 1)) / (n * unit);
    const double offset = moments_[a].mean() - moments_.centre(a);
    covariances(i, i) = (moments_[a].variance() + offset * offset) / (unit * unit);
    pairs(i, i) = n;
    for (Index j = i + 1; j < counts.size(); ++j) {
      const auto b = static_cast<std::size_t>(j);
      const double both = moments_.weight(a, b);
      pairs(i, j) = pairs(j, i) = both;
      covariances(i, j) = covariances(j, i) =
          both > 0 ? moments_.co_moment(a, b) / (both * unit * solved_.units[b])
                   : static_cast<double>(solved_.covariances[a * solved_.units.size() + b]);
    }
  }

  const PairSnapshot& moments_;
  const SolvedMoments& solved_;

 public:
  VectorXd counts;       // n_i
  MatrixXd pairs;        // N_ij
  MatrixXd covariances;  // C
  VectorXd target;       // b
};

MatrixXd noise_of(const PlainMoments& m, const VectorXd& w, double error) {
  const Index d = w.size();
  MatrixXd noise = MatrixXd::Zero(d, d);
  for (Index i = 0; i < d; ++i) {
    if (!(m.counts[i] > 0)) continue;
    noise(i, i) += m.covariances(i, i) * error / m.counts[i];
    for (Index j = i + 1; j < d; ++j) {
      if (!(m.counts[j] > 0)) continue;
      const double both = m.covariances(i, i) * m.covariances(j, j);
      const double beside =
          m.pairs(i, j) > 0 ? std::max(1 / m.pairs(i, j) - 1 / std::max(m.counts[i], m.counts[j]), 0.0) * both
                            : 0;
      noise(i, i) += w[j] * w[j] * beside;
      noise(j, j) += w[i] * w[i] * beside;
      noise(i, j) +=
          error * m.covariances(i, j) * m.pairs(i, j) / (m.counts[i] * m.counts[j]) + w[i] * w[j] * beside;
      noise(j, i) = noise(i, j);
    }
  }
  return noise;
}

// The ridge's error is taken to be right within 15 %, and what it takes for its own sake within half.
double square_of_doubt(const ExpectedLoss& loss) {
  constexpr double kRight = 0.15;
  constexpr double kPenalty = 0.5;
  const double right = kRight * loss.ridge;
  const double penalty = kPenalty * loss.penalty;
  return right * right + penalty * penalty;
}

// Of −2wᵀδb + wᵀδCw: what noise is in the mean of the residual's squares, and what more there is as a pair
// was seen less often than its attributes.
double variance_of(const PlainMoments& m, const VectorXd& w, double error) {
  double least = 0;  // looks
  double beside = 0;
  for (Index i = 0; i < w.size(); ++i) {
    if (!(m.counts[i] > 0)) continue;
    least = least > 0 ? std::min(least, m.counts[i]) : m.counts[i];
    for (Index j = i + 1; j < w.size(); ++j) {
      if (!(m.pairs(i, j) > 0)) continue;
      const double part = w[i] * w[j];
      beside += 4 * part * part * m.covariances(i, i) * m.covariances(j, j) *
                std::max(1 / m.pairs(i, j) - 1 / std::max(m.counts[i], m.counts[j]), 0.0);
    }
  }
  return beside + (least > 0 ? 2 * error * error / least : 0);
}

}  // namespace

double ExpectedLoss::total(double chance) const {
  const double doubt = square_of_doubt(*this);
  const double plain = in_sample + optimism + chance;
  if (!(variance + doubt > 0)) return plain;
  return (plain * doubt + (ridge + chance) * variance) / (variance + doubt);
}

double ExpectedLoss::error() const {
  const double doubt = square_of_doubt(*this);
  return variance + doubt > 0 ? std::sqrt(variance * doubt / (variance + doubt)) : 0;
}

ExpectedLoss expected_loss(const PairSnapshot& moments, const PairwiseSolver& solver, const Model& model) {
  const SolvedMoments solved = solver.solved_moments();
  const PlainMoments plain(moments, solved);
  const Index d = plain.counts.size();
  VectorXd w(d);
  for (Index i = 0; i < d; ++i)
    w[i] = model.weights[static_cast<std::size_t>(i)] * solved.units[static_cast<std::size_t>(i)];
  ExpectedLoss loss;
  loss.in_sample = solved.label_square - 2 * w.dot(plain.target) + w.dot(plain.covariances * w);
  loss.ridge = solver.expected_error(model);
  loss.penalty = solved.ridge * w.squaredNorm();
  const double error = std::max(loss.in_sample, loss.ridge / 2);
  loss.variance = variance_of(plain, w, error);
  if (!(solved.ridge > 0)) return loss;

  MatrixXd a(d, d);
  for (Index i = 0; i < d; ++i) {
    for (Index j = i; j < d; ++j)
      a(i, j) = a(j, i) = static_cast<double>(solved.covariances[static_cast<std::size_t>(i * d + j)]);
    a(i, i) += solved.ridge + std::max(-solved.least_value, 0.0);
  }
  const Eigen::LDLT<MatrixXd> solver_of_a(a);
  loss.optimism = 2 * solved.shrink * solver_of_a.solve(noise_of(plain, w, error)).trace();
  return loss;
}

// Own slots of attributes first, as everywhere; those of categories are no features.
std::vector<std::uint32_t> select_attributes(const PairSnapshot& moments,
                                             const std::vector<std::vector<std::size_t>>& features,
                                             std::span<const Attribute> attributes, PairSnapshot& part) {
  const std::vector<std::uint32_t> own(attributes.begin(), attributes.end());
  std::vector<std::uint32_t> slots = own;
  const FeatureMap& all = moments.features();
  if (all.is_plain()) {
    part.select(moments, slots);
    return slots;
  }
  FeatureMap map(own.size());
  for (std::size_t a = 0; a < own.size(); ++a) {
    if (!all.has_indicators(own[a])) continue;
    if (all.is_date(own[a]))
      map.make_date(a, all.date_parts(own[a]));
    else
      map.make_category(a);
    for (const std::size_t slot : features[own[a]])
      if (all.is_indicator(slot)) slots.push_back(static_cast<std::uint32_t>(slot));
  }
  std::sort(slots.begin() + static_cast<std::ptrdiff_t>(own.size()), slots.end());
  for (std::size_t a = own.size(); a < slots.size(); ++a) {
    const auto owner = static_cast<std::uint32_t>(all.owner(slots[a]));
    const auto place = std::ranges::lower_bound(own, owner) - own.begin();
    map.find_or_add(static_cast<std::size_t>(place), static_cast<double>(all.code(slots[a])));
  }
  part.select(moments, slots, map);
  return slots;
}

ExpectedLoss SmallRefit::solve(std::span<const Attribute> attributes,
                               const PairwiseSolver::Cancelled& cancelled) {
  std::vector<Attribute> ascending(attributes.begin(), attributes.end());
  std::ranges::sort(ascending);
  slots_ = select_attributes(moments_, features_, ascending, part_);
  solver_.solve(part_, ball_, model_, cancelled);
  return expected_loss(part_, solver_, model_);
}

double SmallRefit::weight(std::size_t slot) const {
  const auto found = std::ranges::lower_bound(slots_, static_cast<std::uint32_t>(slot));
  return model_.weights[static_cast<std::size_t>(found - slots_.begin())];
}

Model SmallRefit::model() const {
  Model model;
  model.weights.assign(moments_.dimension(), 0.0);
  model.bias = model_.bias;
  for (std::size_t a = 0; a < slots_.size(); ++a) model.weights[slots_[a]] = model_.weights[a];
  return model;
}

}  // namespace glimpse
