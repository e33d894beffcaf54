#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/state.h"
#include "learn/core/plan.h"
#include "learn/draws/moment_weights.h"
#include "learn/iterates/mean_product.h"
#include "learn/options/options.h"
#include "stats/second_moments.h"

namespace glimpse {

/// Control variates (DRAWS.md). The model is centred: f(x) = ȳ + b + ⟨w, x − μ⟩. x − μ is drawn in place of x
/// in both parts of g̃, so that the mean of x, which is known, adds no noise. q and p follow the moments of x
/// − μ. No ⟨w, μ⟩·μ has to be added back, which would touch all d coordinates: the intercept b takes up what
/// μ explains. μ_i is the running mean of attribute i over its reveals before the example, in the attribute's
/// unit. It is kept in the plan, and nothing of the example enters it. So g̃ is unbiased for the gradient in
/// (w, b) of ½(f(x) − y)² with that μ. This is the squared loss of the same linear functions in other
/// coordinates. When a reveal moves μ_i, w and b stay: the function follows the means, as it follows ȳ, and
/// the optimum in these coordinates stays where it is as they settle. Every iterate is a linear function with
/// the intercept ȳ + b − ⟨w, μ⟩, and the averaged model is the average of these functions; that needs ⟨w, μ⟩
/// at every step, which MeanProduct keeps in O(1) a change. (With lasso and the auto step, past weights
/// shrink when a unit grows, and their share of ⟨w, μ⟩ with them.) Off, x is drawn as it is, and the calls
/// below do nothing.
///
/// A weight or a mean that changes is taken out of ⟨w, μ⟩ before and put back afterwards, u being the weight
/// without the scale that all share. Memory: a number for each attribute of a plan. Thread-safety: none.
class Centring {
 public:
  /// `most`: how many attributes a plan has at most.
  Centring(bool on, std::size_t most);

  bool is_on() const { return on_; }
  /// Of what q takes the moments.
  MomentOf moment_of() const { return on_ ? MomentOf::kDeviation : MomentOf::kAttribute; }
  /// The square of what an attribute contributes, in the mean: M, or that of its deviation.
  double moment(const Moment& m) const { return on_ ? m.spread() : m.second; }

  /// Writes μ of the plan's attributes into it.
  void add_centres(const SecondMoments& moments, Plan& plan) const {
    if (!on_) return;
    for (const Attribute i : plan.attributes) plan.centres.push_back(moments[i].mean);
  }
  /// Whether the plan has the centres that deviations() takes off. Those of a checkpoint may not.
  bool fits(const Plan& plan) const { return !on_ || plan.centres.size() == plan.attributes.size(); }
  /// The values of the plan's attributes less their centres. Valid until the next call.
  std::span<const double> deviations(const Plan& plan, std::span<const double> values) {
    if (!on_) return values;
    for (std::size_t a = 0; a < values.size(); ++a) deviations_[a] = values[a] - plan.centres[a];
    return std::span(deviations_).first(values.size());
  }

  void take_out(double u, double mean) {
    if (on_) product_.take_out(u, mean);
  }
  void put_in(double u, double mean) {
    if (on_) product_.put_in(u, mean);
  }
  /// Σ_τ ρ_τ·w_τ,i has lost `sum`.
  void take_out_past(double sum, double mean) {
    if (on_) product_.take_out_past(sum, mean);
  }
  /// Counts the present iterate, whose scale is `scale`, into the average of ⟨w, μ⟩.
  void count_iterate(double scale, double rho) {
    if (on_) product_.count_iterate(scale, rho);
  }
  /// Multiplies all ρ so far by `factor`, a power of two.
  void scale_average(double factor) { product_.scale_average(factor); }
  /// ⟨w, μ⟩ becomes 0, to be put together term by term. Its average stays.
  void clear() { product_.clear(); }
  /// Averaging restarts.
  void restart_average() { product_.forget(); }
  /// As at the beginning, where w = 0.
  void forget() { product_ = MeanProduct(); }

  /// The average of ⟨w_τ, μ_τ⟩: what the intercept of the averaged model is less than that of its centred
  /// form.
  double averaged(double scale) const { return on_ ? product_.averaged(scale) : 0; }

  void save(State& state) const;
  Status restore(const State& state);

 private:
  const bool on_;
  MeanProduct product_;             // ⟨w, μ⟩
  std::vector<double> deviations_;  // of the present example
};

/// What the values of a plan are to a gradient step; an element for each of its attributes.
struct Revealed {
  std::span<const double> x;       ///< the value less its centre
  std::span<const double> shrunk;  ///< by what the weight has just been multiplied, as the unit grew
  std::span<const double> units;   ///< s_i, or 1 where steps take attributes in their own units
};

/// The iterates of a gradient learner as functions, f_t(x) = ȳ + b + ⟨w, x − μ⟩, and the average of these
/// functions, which is the learner's model. Holds what makes them up: the weights, the moments of the
/// attributes with their means μ, and the running mean ȳ of the labels. What a step does with a gradient is
/// the Weights'.
///
/// With the auto step attribute i is measured in units of s_i, its largest absolute value seen (AutoStep).
/// When s_i grows by a factor f, w_i is divided by f², so that what was learned in too small a unit cannot
/// throw predictions. The bias is coordinate d, whose unit is 1. Without the auto step units are 1 and ȳ is
/// 0, or a number near labels that are far from 0; without control variates μ is (Centring).
///
/// Iterate t counts ρ_t in the average: 1, or with a half-life H a factor 2^(1/H) more than the one before.
/// An example costs O(1) for each attribute of its plan. Memory: Weights' and SecondMoments'. Thread-safety:
/// none.
template <class Weights>
class GradientIterates {
 public:
  /// `options` must outlive it; `most`: how many attributes a plan has at most.
  GradientIterates(const LearnerOptions& options, std::size_t most);

  std::size_t dimension() const { return dimension_; }
  /// d, and the bias where there is one.
  std::size_t coordinates() const { return weights_.size(); }

  /// In which attribute i is measured where norms and steps are concerned.
  double unit(std::size_t i) const {
    if (!normalised_ || i == dimension_) return 1;
    return static_cast<double>(moments_[i].max_abs);
  }
  double weight(std::size_t i) const { return weights_.weight(i, unit(i)); }
  /// Proportional to the weight, with the same factor for every coordinate.
  double unscaled(std::size_t i) const { return weights_.unscaled(i, unit(i)); }
  double averaged(std::size_t i) const { return weights_.averaged(i, unit(i)); }
  const Moment& moment(std::size_t i) const { return moments_[i]; }
  const SecondMoments& moments() const { return moments_; }
  /// The square of what attribute i contributes to f, for a weight of 1, in the mean.
  double contribution(std::size_t i) const { return centring_.moment(moments_[i]); }
  /// q by the moments, with ε = `epsilon`.
  MomentWeights moment_weights(double epsilon) const {
    return {moments_, normalised_, epsilon, Weights::kMomentPower, centring_.moment_of()};
  }

  /// What the present f has beside ⟨w, x − μ⟩: ȳ + b.
  double offset() const { return bias() + label_offset(); }
  /// Of the averaged model, written for x itself.
  double intercept() const;
  /// Whether the plan has the centres that reveal() takes off.
  bool fits(const Plan& plan) const { return centring_.fits(plan); }
  /// Writes μ of the plan's attributes into it.
  void add_centres(Plan& plan) const { centring_.add_centres(moments_, plan); }

  /// Brings near what a draw of `attribute` will read.
  void prefetch_attribute(Attribute attribute) const {
    weights_.prefetch_coordinate(attribute);
    moments_.prefetch_attribute(attribute);
  }
  /// The same of four attributes, from `first` on.
  void prefetch_group(std::size_t first) const {
    prefetch_attribute(static_cast<Attribute>(first));
    moments_.prefetch_attribute(static_cast<Attribute>(first + 3));
  }

  /// Counts the present iterate into the average. Once an example, before its values are revealed.
  void count_iterate() {
    weights_.count_iterate(rho_);
    centring_.count_iterate(weights_.scale(), rho_);
  }
  /// The moments and units follow the values. The attributes are out of ⟨w, μ⟩ until put_back(). Calls
  /// note(position, moment) for each. Valid until the next call.
  template <class Note>
  Revealed reveal(const Plan& plan, std::span<const double> values, const Note& note);
  /// `amount`: η_i·g̃_i. Whether the step stays in the range of numbers.
  bool accepts_step(std::size_t i, double amount) const { return weights_.accepts_step(i, amount, unit(i)); }
  void step(std::size_t i, double amount) { weights_.step(i, amount, unit(i)); }
  /// After the last coordinate of a step. Whether every unscaled() has changed with it.
  bool end_step() { return weights_.end_step(); }
  /// The attributes of the plan are in ⟨w, μ⟩ again.
  void put_back(const Plan& plan) {
    if (!centring_.is_on()) return;
    for (const Attribute i : plan.attributes) centring_.put_in(unscaled(i), moments_[i].mean);
  }
  void count_label(double label, double importance) {
    label_weight_ = label_weight_ / growth_ + importance;
    label_mean_ += (label - label_mean_) * (importance / label_weight_);
  }

  /// All weights have changed: recomputes the sums that are kept of them. O(d).
  void add_up();
  /// With a half-life, once an example: the next iterate counts more.
  void grow_rho();
  /// With a half-life, once in each: moments count half of what they saw, except those that were `known`
  /// beforehand, and units shrink to what is remembered. O(d).
  void age(bool known);
  /// Phase 2: w ← w̄ in the ball of its radius, and averaging restarts (KS15 §5). O(d).
  void begin_phase2();

  /// The model becomes the mean of this one's and that of `other`, weighted by the importances that each has
  /// learned from (parameter mixing), and the iterate as well; moments have the reveals of both. Attribute i
  /// of `other` is attributes[i] here, without attributes i. add_up() must follow. O(d).
  void mix(const GradientIterates& other, std::span<const Attribute> attributes);
  void set_moment(Attribute attribute, const Moment& moment) { moments_.set(attribute, moment); }
  void forget_moments() { moments_ = SecondMoments(dimension_); }
  /// As at the beginning, except for the moments.
  void forget_weights();

  std::size_t memory_bytes() const { return weights_.memory_bytes() + moments_.memory_bytes(); }

  /// The weights and moments; the rest is saved by itself, where it stands in a checkpoint.
  void save(State& state) const;
  Status restore(const State& state);
  /// ρ, with a half-life.
  void save_rho(State& state) const;
  Status restore_rho(const State& state);
  void save_centring(State& state) const { centring_.save(state); }
  Status restore_centring(const State& state) { return centring_.restore(state); }
  /// Of a state in phase 2.
  void restore_phase2() { weights_.set_radius(options_.radius); }
  double label_mean() const { return label_mean_; }
  /// What predictions begin from: the mean, or what expect_label() had.
  double label_offset() const { return normalised_ && options_.bias ? label_mean_ : origin_; }
  /// Behind forget_weights(): labels are near `mean`, which is far from 0.
  void expect_label(double mean) { (normalised_ ? label_mean_ : origin_) = mean; }
  double label_weight() const { return label_weight_; }
  void restore_label(double mean, double weight) {
    label_mean_ = mean;
    label_weight_ = weight;
  }

 private:
  // The bias, and of the averaged model; 0 without one.
  double bias() const { return options_.bias ? weights_.weight(dimension_, 1) : 0; }
  double averaged_bias() const { return options_.bias ? weights_.averaged(dimension_, 1) : 0; }

  const LearnerOptions& options_;
  const std::size_t dimension_;
  const bool normalised_;
  const double growth_;  // what a new iterate counts more in the average than the one before
  Weights weights_;
  SecondMoments moments_;
  Centring centring_;
  double rho_ = 1;  // what the present iterate counts in the average
  double label_mean_ = 0;
  double label_weight_ = 0;     // the importances, summed
  double origin_ = 0;           // what labels are counted from, without the auto step
  std::vector<double> shrunk_;  // of the present example, as Revealed has them
  std::vector<double> units_;
};

// The moments follow every reveal. Where an attribute's largest value grows by a factor f, its weight is
// divided by f², so that a weight learned in too small a unit cannot throw predictions. This holds for the
// next ones and for this one, whose coefficients hold the weights of before.
template <class Weights>
template <class Note>
Revealed GradientIterates<Weights>::reveal(const Plan& plan, std::span<const double> values,
                                           const Note& note) {
  const std::size_t count = plan.attributes.size();
  for (std::size_t a = 0; a < count; ++a) {
    const Attribute i = plan.attributes[a];
    const double before = unit(i);
    const double mean = moments_[i].mean;
    centring_.take_out(weights_.unscaled(i, before), mean);
    moments_.update(i, values[a]);
    const double now = unit(i);
    const double shrink = now == before ? 1 : before / now;
    shrunk_[a] = shrink * shrink;
    units_[a] = now;
    if (now != before) {
      centring_.take_out_past(weights_.past_lost(i, before, now), mean);
      weights_.change_unit(i, before, now);
    }
    note(a, moments_[i]);
  }
  return {centring_.deviations(plan, values), std::span(shrunk_).first(count),
          std::span(units_).first(count)};
}

}  // namespace glimpse
