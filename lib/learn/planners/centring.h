#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/state.h"
#include "learn/core/plan.h"
#include "learn/draws/moment_weights.h"
#include "learn/iterates/mean_product.h"
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

}  // namespace glimpse
