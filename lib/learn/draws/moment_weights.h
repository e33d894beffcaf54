#pragma once

#include <cmath>
#include <cstddef>

#include "base/random.h"
#include "base/state.h"
#include "sampling/level_table.h"
#include "stats/second_moments.h"

namespace glimpse {

/// The power of a moment in q: what minimises the bound on the gradient estimates in the learner's norm.
enum class MomentPower {
  kRoot,   ///< q_i ∝ √M_i: ridge, whose bound holds Σ M_i/q_i (KS15, Lemma 3.2)
  kFirst,  ///< q_i ∝ M_i: lasso, whose bound holds max_i M_i/q_i (KS14, Lemma 4.3)
};

/// Of what the moments are taken.
enum class MomentOf {
  kAttribute,  ///< of x, as in the papers
  kDeviation,  ///< of x − mean, which control variates put in its place
};

/// The data-point distribution of the moment-dependent algorithms, q_i ∝ √(Â_i + 13/6·ε) for ridge (KS15,
/// Algorithm 2) and ∝ Â_i + 13/6·ε for lasso (KS14, Algorithm 4), computed from what the running moments know
/// at construction.
///
/// Â_i = (n_i·A_i + Ā)/(n_i + 1): one imagined reveal of the mean moment Ā. An attribute seen as all-zero
/// keeps a chance that falls with the evidence, and one never seen counts as average (erratum
/// 4 of lib/learn/PAPERS.md: with ε = 0 neither may become 0). A hundredth of all draws is uniform besides,
/// so that no importance weight exceeds 100·d however long the stream. With `normalised`, moments are taken
/// in units of each attribute's largest absolute value, in which the auto step works. A view: the moments
/// must outlive it. Cost: O(d) to construct, O(1) a call. Thread-safety: calls are const.
class MomentWeights {
 public:
  MomentWeights(const SecondMoments& moments, bool normalised, double epsilon,
                MomentPower power = MomentPower::kRoot, MomentOf of = MomentOf::kAttribute);

  /// The unnormalised q_i, > 0; their mean is about 1.
  double operator()(std::size_t i) const {
    return kUniformShare + (1 - kUniformShare) * powered(i) / mean_powered_;
  }

  /// Â_i.
  double moment(std::size_t i) const {
    const double n = count(i);
    return (n * observed(i) + pooled_) / (n + 1);
  }

  /// Σ Â_i.
  double sum() const { return sum_; }

  /// ‖2Â + 10/3·ε‖½, the H of the two-phase theory step.
  double half_norm_bound() const;
  /// ‖Â‖½ = (Σ√Â_i)².
  double half_norm() const;

  /// The second moment of x̃ (times k_x) if draws followed q, with every M_i one standard error above its
  /// estimate: the sum over attributes for ridge, the largest for lasso. It is Σ or max U_i/q_i, U_i = Â_i +
  /// √(r_i²Â_i/n_i), since Var(x²) ≤ r²·E[x²] for |x| ≤ r, the largest value seen. It stands in place of the
  /// theory's Â_i + ε, which must hold for all attributes at once, for any distribution and with probability
  /// 1 − δ. For deviations r is 3√Â_i where that is less (a kurtosis up to 10): the largest value says little
  /// about how far an attribute strays from a mean that may lie far from 0.
  double variance_bound() const;
  /// The same for uniform draws: d·ΣÂ_i for ridge. For lasso a lower confidence bound of d·max M_i, since the
  /// largest of many estimates is above the largest moment by chance: d·max(Â_i − 2√(r_i²Â_i/n_i)), where r_i
  /// is the largest value also of deviations, but of those from a mean that is far from 0 (PHASES.md).
  double uniform_variance() const;
  /// max_i Â_i/q_i.
  double largest_ratio() const;

 private:
  static constexpr double kUniformShare = 0.01;
  static constexpr double kEpsilonShare = 13.0 / 6;
  static constexpr double kDeviations = 3;

  double count(std::size_t i) const { return static_cast<double>(moments_[i].count); }
  double observed(std::size_t i) const {
    const Moment& m = moments_[i];
    const double square = of_ == MomentOf::kDeviation ? m.spread() : m.second;
    if (!normalised_) return square;
    const auto unit = static_cast<double>(m.max_abs);
    return unit > 0 ? square / (unit * unit) : 0;
  }
  // r_i².
  double range_square(std::size_t i) const {
    const auto largest = static_cast<double>(moments_[i].max_abs);
    if (largest == 0) return pooled_;
    const double square = normalised_ ? 1 : largest * largest;
    return of_ == MomentOf::kDeviation ? std::fmin(square, kDeviations * kDeviations * moment(i)) : square;
  }
  double powered(std::size_t i) const {
    const double sum = moment(i) + kEpsilonShare * epsilon_;
    return power_ == MomentPower::kRoot ? std::sqrt(sum) : sum;
  }

  const SecondMoments& moments_;
  bool normalised_;
  double epsilon_;
  double pooled_ = 0;  // Ā: the mean of A_i over the attributes seen; 1 before any was
  MomentPower power_;
  MomentOf of_;
  double mean_powered_ = 1;
  double sum_ = 0;
};

/// The distribution q of the data-point draws: uniform until it is planned. O(1) a draw. Thread-safety: none.
class AttributeSampling {
 public:
  AttributeSampling() = default;
  explicit AttributeSampling(std::size_t dimension) : dimension_(dimension) {}

  /// The two halves of a draw, as LevelTable's.
  LevelTable::Ticket begin_sample(Random& random) const {
    if (table_.built()) return table_.begin_sample(random);
    return {0, static_cast<std::uint32_t>(random.below(dimension_))};
  }
  LevelTable::Draw finish_sample(LevelTable::Ticket ticket) const {
    if (table_.built()) return table_.finish_sample(ticket);
    return {ticket.place, uniform_probability()};
  }
  double probability(Attribute attribute) const {
    return table_.built() ? table_.probability(attribute) : uniform_probability();
  }

  /// Brings near what probability(attribute) will read.
  void prefetch_probability(Attribute attribute) const {
    if (table_.built()) table_.prefetch_probability(attribute);
  }

  /// q_i ∝ weight(i), see LevelTable::build(). O(d); allocates at the first call only.
  template <class Weight>
  void plan(const Weight& weight) {
    if (table_.size() != dimension_) table_ = LevelTable(dimension_);
    table_.build(weight);
  }

  std::size_t memory_bytes() const { return table_.memory_bytes(); }

  void save(State& state) const;
  Status restore(const State& state);

 private:
  double uniform_probability() const { return 1.0 / static_cast<double>(dimension_); }

  std::size_t dimension_ = 0;
  LevelTable table_;
};

}  // namespace glimpse
