#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/core/plan.h"
#include "learn/iterates/step_size.h"
#include "learn/options/options.h"
#include "learn/planners/gradient_iterates.h"
#include "learn/planners/gradient_planner.h"

namespace glimpse {

/// A coordinate of g̃.
struct GradientTerm {
  Attribute attribute;
  double gradient;  ///< g̃_i times the importance, in the label's unit times the attribute's
  double trust;     ///< in the attribute's unit, at most 1: what its step is multiplied by (UnitTrust)
};

/// The gradient of ½(f(x) − y)² as the values of a plan estimate it, g̃ = φ̃·x̃ (KS15, Algorithm 1), from two
/// independent sets of draws:
///
///     x̃ = (1/k_x) Σ_r x[i_r]/q[i_r]·e_{i_r},   i_r ~ q
///     φ̃ = (1/k_p) Σ_r w[j_r]x[j_r]/p[j_r] + offset − y,  j_r ~ p
///
/// With pairs (DRAWS.md) all K draws come from r = ½q + ½p and serve both parts, each pair of distinct draws
/// one estimate:
///
///     g̃ = 1/(K(K−1)) Σ_{a≠b} (w_a x_a/r_a + offset − y)·(x_b/r_b)·e_b
///
/// Draws a and b are independent, so every summand is unbiased, and so is g̃. The bias, which is not drawn,
/// moves by the mean over all K draws, φ̃. Where everything is seen φ̃ is the residual and g̃ the gradient.
/// x is x − μ with control variates. O(K log K) an example; allocates nothing. Thread-safety: none.
class GradientEstimate {
 public:
  /// `most`: how many attributes a plan has at most.
  GradientEstimate(const LearnerOptions& options, PlanKind kind, std::size_t most);

  /// Whether the plan is of the shape that such a planner makes. One of a checkpoint may not be.
  bool fits(const Plan& plan) const {
    return plan.attributes.size() <= most_ &&
           (!pairs_ || plan.inner_product.empty() || plan.inner_product.size() == plan.data_point.size());
  }

  /// g̃ of an example. An element of `trust` for each attribute of the plan.
  void collect(const Plan& plan, const Revealed& revealed, std::span<const double> trust, double label,
               double importance);
  /// After collect(): the bias is the coordinate `bias`, the last of terms().
  void add_bias(Attribute bias, double importance) { terms_.push_back({bias, phi_ * importance, 1}); }
  /// By attribute, each once.
  std::span<const GradientTerm> terms() const { return terms_; }
  /// Unbiased for (f(x) − y)²; NaN when one draw alone was made.
  double squared_error() const { return squared_error_; }

  /// What a step wants to know of the estimate that collect() made last; not largest_second and what follows
  /// it. `bias`: whether 1 is an attribute.
  StepFacts facts(const Plan& plan, const Revealed& revealed, std::span<const double> trust, bool bias) const;

 private:
  const bool pairs_;
  const bool exact_;  // everything is seen
  const DrawCounts counts_;
  const double
      inner_draws_;  // of those that make φ̃, how many are independent of what it multiplies; exact: 0
  const std::size_t most_;
  double phi_ = 0;
  double squared_error_ = 0;
  double residual_scale_ = 0;  // root mean square of the residuals that x̃ is multiplied by
  std::vector<GradientTerm> terms_;
  std::vector<std::uint64_t> draw_order_;  // of the data-point part: position << 32 | draw
};

// Draws of the same attribute add up before squaring: draw_order_ has them together. Inline: what a step does
// not ask for is not computed.
inline StepFacts GradientEstimate::facts(const Plan& plan, const Revealed& revealed,
                                         std::span<const double> trust, bool bias) const {
  StepFacts facts{};
  facts.estimate_square = bias ? 1 : 0;  // ‖x̃‖²
  facts.square = bias ? 1 : 0;           // (1/k_x)Σ x²/q
  facts.inner_draws = inner_draws_;
  facts.residual = residual_scale_;
  std::uint32_t open = ~0U;
  double part = 0;
  double part_trust = 1;
  for (const std::uint64_t key : draw_order_) {
    const Draw& draw = plan.data_point[static_cast<std::uint32_t>(key)];
    const double unit = revealed.units[draw.position];
    if (unit == 0) continue;
    const double value = revealed.x[draw.position] / unit;
    if (draw.position != open) {
      facts.estimate_square += part_trust * (part * part);
      part = 0;
      part_trust = trust[draw.position];
      open = draw.position;
    }
    facts.square += part_trust * (draw.coefficient * value * value);
    part += draw.coefficient * value;
  }
  facts.estimate_square += part_trust * (part * part);
  return facts;
}

}  // namespace glimpse
