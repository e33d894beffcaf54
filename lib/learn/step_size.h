#pragma once

#include <cmath>
#include <cstdint>

#include "base/state.h"

namespace glimpse {

/// The anytime step size behind `--step auto`: needs neither the number of examples nor tuning, and does not
/// depend on the units of attributes or labels.
///
/// It is our own, put together from what is known of least mean squares. Each attribute is measured in units
/// of its largest absolute value seen, s_i (Ross, Mineiro & Langford, "Normalized online learning", 2013;
/// when s_i grows by a factor f, w_i is divided by f², as there). In those units, with V = E‖x̃‖² and N =
/// E‖x‖²/k_p:
///  - a step η above 2/V throws w further than where it came from, so η ≤ a/V with a = ½ (the step of
///  normalised least mean squares);
///  - the inner-product draws add noise of variance at most ‖w‖²·N to φ̃, and so multiply ‖w‖² by about 1 +
///  η²VN a step. That is a growth
///    by itself, which a radius B would cut off; without one it stays bounded when the growth falls as 1/t:
///
///      η_t = a / (V·√(1 + a²·t·N/V))   →   1/√(t·V·N) for large t.
///
/// With V = ‖M‖½/k + E‖x‖² and the theory's N ≤ 1 the limit is the anytime form of the theorems' 1/√(m(‖M‖½/k
/// + 1)) (KS15, Theorem 3.3); what it gains over them is N, which k_p draws make small. V and N are running
/// means of what the plans reveal (‖x̃‖² and (1/k_x)Σ x_i²/q_i, unbiased for any q), begun anew with every
/// phase.
///
/// Measured (loss over the zero predictor's or, with bias, the mean's, one pass): MNIST 3/5, K = 57: a = 0.3
/// / 0.5 / 1 give .38 / .33 / 2 or worse; cal_housing in raw units, K = 5: .76 / .58 / .57; simulated α = −1:
/// .87 / .78 / .75. Thread-safety: none.
class AutoStep {
 public:
  static constexpr double kShare = 0.5;  // a

  /// One example: ‖x̃‖² and the unbiased estimate of ‖x‖², both in units of s; then the step η to use for it.
  /// 0 while nothing but zeros was seen.
  double next(double estimate_square, double square, double inner_draws) {
    ++examples_;
    const auto t = static_cast<double>(examples_);
    estimate_square_ += (estimate_square - estimate_square_) / t;
    square_ += (square - square_) / t;
    if (!(estimate_square_ > 0)) return 0;
    const double noise = inner_draws > 0 ? square_ / inner_draws : 0;
    return kShare / (estimate_square_ * std::sqrt(1 + kShare * kShare * t * noise / estimate_square_));
  }

  void begin_phase() { *this = AutoStep(); }

  void save(State& state) const {
    state.put_number("step.examples", examples_);
    const double means[] = {estimate_square_, square_};
    state.put_copy<double>("step.means", means);
  }
  Status restore(const State& state) {
    const auto examples = state.get_number<std::uint64_t>("step.examples");
    if (!examples) return examples.error();
    const auto means = state.get<double>("step.means", 2);
    if (!means) return means.error();
    examples_ = *examples;
    estimate_square_ = (*means)[0];
    square_ = (*means)[1];
    return {};
  }

 private:
  std::uint64_t examples_ = 0;  // t, of this phase
  double estimate_square_ = 0;  // V
  double square_ = 0;           // N·k_p
};

/// The steps of the theorems, for assumptions ‖x‖₂ ≤ 1 and |y| ≤ B. m: examples; d: attributes; k: data-point
/// draws an example.
namespace theory {

/// AERR: √(k/(2dm)), from 2B/(G√m) with G² = 8B²d/k (KS15, Theorem 3.1).
inline double aerr_step(double d, double k, double m) { return std::sqrt(k / (2 * d * m)); }

/// DDAERR: 1/√(m(‖M‖½/k + 1)) (KS15, Theorem 3.3).
inline double ddaerr_step(double half_norm, double k, double m) {
  return 1 / std::sqrt(m * (half_norm / k + 1));
}

/// ε = d·ln(2d/δ)/(K m₁) (KS15, Algorithm 2).
inline double confidence(double d, double budget, double delta, double m1) {
  return d * std::log(2 * d / delta) / (budget * m1);
}

/// Phase 2 of Two-Phased DDAERR: max(η₁, η₂), η₁ = √(k/(6dm₂)), η₂ = √(k/m₂ / (2H + 2√(5/3)·d·√H·√ε + k))
/// (KS15, Theorem 3.4).
inline double two_phase_step(double d, double k, double m2, double half_norm, double epsilon) {
  const double floor = std::sqrt(k / (6 * d * m2));
  const double denominator = 2 * half_norm + 2 * std::sqrt(5.0 / 3) * d * std::sqrt(half_norm * epsilon) + k;
  return std::fmax(floor, std::sqrt(k / m2 / denominator));
}

}  // namespace theory

}  // namespace glimpse
