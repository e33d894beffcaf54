#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "base/state.h"
#include "learn/apple/expansion.h"
#include "learn/gauge/label_range.h"

namespace glimpse {

/// Online least squares over features that come while it runs, with normalised, adaptive, importance-aware
/// steps: the base learner of ABHLT14. Units of features, labels and importances do not matter.
///
/// Feature i has a scale s_i = max |f_i| so far, and a weight w_i = u_i/s_i: u_i is in the label's unit. With
/// z = f/s and the label's running mean ȳ and deviation L about it, an example of importance h does
///
///     r = clip(ȳ + u₀ + Σ u_i z_i) − y
///     N += h(1 + Σ z_i²),  T += h,  G_i += (h r z_i)²,  a_i = η L √(T/N)/√G_i
///     u_i −= a_i z_i · r (1 − e^(−h q))/q,  q = Σ a_i z_i²
///
/// clip() is to the labels so far, y among them, as the authors' program has it: a prediction beyond
/// all labels on the right side is not wrong. With classes −1 and 1 the loss is the squared hinge.
///
/// u₀ is the bias, of the feature that is always 1; without it ȳ = 0 and L is the root of the mean square.
/// N, T: Ross, Mineiro & Langford 2013, normalised online learning. G: adagrad. The factor r(1 − e^(−hq))/q
/// in place of h r: Karampatziakis & Langford 2011, a step that is the limit of many small ones, and never
/// goes beyond the label. When s_i grows u_i stays, and G_i falls by the square of the factor. L makes the
/// step one in the label's unit, which the papers leave to the learning rate η; importances are squared in G,
/// so that a factor of all of them changes nothing.
///
/// An example at most doubles a scale, and its value counts as the scale where it is beyond. As u_i stays, a
/// scale that one value makes a hundredfold takes a weight with it that all other examples go by.
///
/// The last u is as noisy as η is large. So there are also two averages of it: ū += (u − ū)·ph/(T − h + ph),
/// of all examples alike with p = 1, and with p = 8 about the last eighth of them (Shamir & Zhang 2013,
/// polynomial-decay averaging). Steps are taken by u. Of the three that one is the model whose squared error
/// before each example is the least by now.
///
/// Cost: O(features) an example; no allocation unless features are new. Memory: 56 bytes a slot, of
/// attributes that never came untouched. Thread-safety: none.
class NormalisedSteps {
 public:
  /// η, the same for all: chosen over nineteen sets (EXPERIMENTS.md).
  static constexpr double kStandardRate = 4;
  /// p of the averages.
  static constexpr std::array<double, 2> kPowers{1, 8};
  /// By which an example multiplies a scale at most.
  static constexpr double kMostGrowth = 2;

  struct Options {
    double rate = kStandardRate;  ///< η > 0
    bool bias = true;
    double half_life = 0;  ///< in examples: sums count half of what is older; 0: all the same
  };

  NormalisedSteps(std::size_t attributes, const Options& options);

  /// Which is the model: 0, u itself; k, the average of kPowers[k − 1].
  std::size_t model() const {
    return static_cast<std::size_t>(std::ranges::min_element(losses_) - losses_.begin());
  }
  /// ȳ + u₀, or ȳ + ū₀.
  double bias() const { return label_mean_ + chosen(constant_); }
  /// w_i, or u_i's average over s_i; 0 for slots that never came.
  double weight(std::uint32_t slot) const {
    const Cell* cell = find(slot);
    return cell != nullptr && cell->scale > 0 ? chosen(*cell) / cell->scale : 0;
  }
  /// |u_i|, which features are ordered by: how much it changes predictions at most, in the label's unit.
  double worth(std::uint32_t slot) const;
  bool has_seen(std::uint32_t slot) const {
    const Cell* cell = find(slot);
    return cell != nullptr && cell->scale > 0;
  }
  /// A value as predictions take it: no further from 0 than s_i. As in the algorithm, which predicts once
  /// scales have grown to the example: the weight falls as the value grows, and the product is ±u_i.
  double within_scale(const FeatureValue& feature) const {
    const Cell* cell = find(feature.slot);
    return cell != nullptr ? std::clamp(feature.value, -cell->scale, cell->scale) : 0;
  }
  /// The means of f_i and f_i² over all examples, in most of which it may be 0; beyond the scale it is that.
  double mean(std::uint32_t slot) const;
  double mean_square(std::uint32_t slot) const;
  /// Ê[r²f²]/Ê[f²] of the residuals r that it met, which the ssm heuristic orders features by (ABHLT14 §2.3).
  double residual_index(std::uint32_t slot) const;
  /// bias() + Σ w_i·within_scale(f_i), in their order.
  double predict(std::span<const FeatureValue> features) const;

  /// One step. Each slot at most once; values are finite and not 0, |label| ≤ 1e30, importance from
  /// kLeastImportance to 1e30. False: it would have left the range of numbers, and is not taken.
  bool learn(std::span<const FeatureValue> features, double label, double importance);
  static constexpr double kLeastImportance = 1e-100;
  /// What predict() would have said before the last learn(), up to rounding, clipped to the labels before.
  double prediction_before() const { return prediction_; }

  /// What learners of parts of the data tell each other of a feature (ABHLT14 §3.2): w_i, s_i, and the sum of
  /// squares of gradients by w_i, which is the weight of w_i in a mean over the learners. All 0: it has not
  /// seen the feature.
  struct Share {
    double weight = 0;
    double scale = 0;
    double evidence = 0;
  };
  Share share(std::uint32_t slot) const {
    const Cell cell = cell_of(slot);
    return {weight(slot), cell.scale, cell.square * (cell.scale * cell.scale)};
  }
  /// The same of the bias.
  Share bias_share() const { return {bias(), 1, constant_.square}; }
  /// w_i becomes `weight`, and s_i no less than `scale` > 0. The slot may be new.
  void take(std::uint32_t slot, double weight, double scale);
  void take_bias(double bias) {
    constant_.value = bias - label_mean_;
    constant_.lags = {};
  }

  /// As if the feature had never been there.
  void forget(std::uint32_t slot);
  void clear();

  /// The largest step that a weight u_i can take with one example: η L √(T/N). 0 before the first.
  double step_size() const;
  std::size_t slots() const { return own_.size() + more_.size(); }
  std::size_t memory_bytes() const {
    return own_.size() * sizeof(Cell) + more_.capacity() * sizeof(Cell) + terms_.capacity() * sizeof(Term);
  }

  /// "expansion.*", of `slots` slots.
  void save(State& state, std::size_t slots) const;
  Status restore(const State& state, std::size_t slots);

 private:
  struct Cell {
    double value = 0;                           // u
    double square = 0;                          // G
    double scale = 0;                           // s
    double first = 0;                           // Σ h z
    double second = 0;                          // Σ h z²
    std::array<double, kPowers.size()> lags{};  // C·(u − ū) of each average
  };

  Cell& at(std::uint32_t slot) { return slot < own_.size() ? own_[slot] : more_[slot - own_.size()]; }
  const Cell* find(std::uint32_t slot) const {
    if (slot < own_.size()) return &own_[slot];
    return slot - own_.size() < more_.size() ? &more_[slot - own_.size()] : nullptr;
  }
  double clipped(double x) const { return labels_.empty() ? x : std::clamp(x, labels_.min(), labels_.max()); }
  void count_label(double label, double weight);
  void take_features(std::span<const FeatureValue> features);
  static void grow_scale(Cell& cell, double scale);
  double chosen(const Cell& cell) const {
    const std::size_t which = model();
    return which > 0 ? cell.value - cell.lags[which - 1] / average_weights_[which - 1] : cell.value;
  }
  void judge(double label, double weight);
  void follow(double weight);
  template <class Change>
  void change_all(const Change& change);
  void grow_old();
  Status restore_averages(const State& state, std::size_t slots);
  Cell cell_of(std::uint32_t slot) const {
    const Cell* cell = find(slot);
    return cell != nullptr ? *cell : Cell();
  }

  Options options_;
  LargeArray<Cell> own_;    // of attributes
  std::vector<Cell> more_;  // of products
  Cell constant_;           // of the bias
  double label_mean_ = 0;
  double label_weight_ = 0;
  double label_squares_ = 0;  // Σ h (y − ȳ)²
  LabelRange labels_;
  double norms_ = 0;    // N
  double weights_ = 0;  // T
  double growth_ = 1;   // with a half-life: what an example adds to sums, beside those before
  double growing_ = 1;  // by which that grows
  std::array<double, kPowers.size()> average_weights_{1, 1};  // C of each, the sum of what examples count
  std::array<double, 1 + kPowers.size()> losses_{};           // Σ h e² of predictions by u, and by each ū
  // Of the present example: z, and z/√G.
  struct Term {
    Cell* cell;
    double z;
    double rate;
  };
  std::vector<Term> terms_;
  std::array<double, 1 + kPowers.size()> predictions_{};  // by u, and by each ū
  double prediction_ = 0;                                 // of these the model's, clipped
};

}  // namespace glimpse
