#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/state.h"

namespace glimpse {

/// What an anytime step wants to know of an example, attributes in units of s_i (see AutoStep).
/// With control variates x is x − μ in all of this.
struct StepFacts {
  double estimate_square;  ///< ‖x̃‖²
  double square;           ///< the unbiased estimate of ‖x‖²
  double inner_draws;      ///< k_p; K − 1 with pairs, see AutoStep; 0: ⟨w, x⟩ is known
  double residual;         ///< φ̃; with pairs the root mean square of what x̃'s draws are multiplied by
  double largest_second;   ///< a bound on max_i E[x̃_i²]: max_i M_i/(k_x q_i) + 1
  std::size_t coordinates;
  double warm_up = 0;  ///< until so many examples of a phase were seen, the step grows towards its full share
  double importance = 1;  ///< what the gradient was multiplied by, > 0

  /// The importance, so far that its square is a number.
  double bounded_importance() const {
    constexpr double kLargest = 1e100;
    return std::clamp(importance, 1 / kLargest, kLargest);
  }
};

/// The anytime step size behind `--step auto`: needs neither the number of examples nor tuning, and does not
/// depend on the units of attributes or labels. With pairs or control variates an attribute's first few
/// values are an exception, see UnitTrust.
///
/// It is taken from no paper, but put together from what is known of least mean squares. Each attribute is
/// measured in units of its largest absolute value seen, s_i (Ross, Mineiro & Langford, "Normalized online
/// learning", 2013; when s_i grows by a factor f, w_i is divided by f², as there). In those units, with V =
/// E‖x̃‖² and N = E‖x‖²/k_p:
///  - a step η above 2/V throws w further than where it came from, so η ≤ a/V with a = ½ (the step of
///  normalised least mean squares);
///  - the inner-product draws add noise of variance at most ‖w‖²·N to φ̃, and so multiply ‖w‖² by about 1 +
///  η²VN a step. That is a growth
///    by itself, which a radius B would cut off; without one it stays bounded when the growth falls as 1/t:
///
///      η_t = a / (V·√(1 + a²·t·N/V))   →   1/√(t·V·N) for large t.
///
/// With V = ‖M‖½/k + E‖x‖² and the theory's N ≤ 1 the limit is the anytime form of the theorems' 1/√(m(‖M‖½/k
/// + 1)) (KS15, Theorem 3.3). What it gains over them is N, which k_p draws make small. V and N are running
/// means of what the plans reveal (‖x̃‖² and (1/k_x)Σ x_i²/q_i, unbiased for any q), and restart with every
/// phase.
///
/// Pairs of draws from r = ½p + ½q (DRAWS.md) fit in with k_x = K and k_p = K − 1. V is the same mean of
/// ‖x̃‖², which is lower for being made of K draws. What multiplies a draw's share of x̃ is the mean of the K −
/// 1 other draws, with variance Σ_j w_j²M_j/r_j/(K − 1). In place of p's (Σ|w_j|√M_j)² ≤ ‖w‖²·E‖x‖² that sum
/// has 2a_j/(a_j + b_j) of each term, a = p and b = q. That is as much where weights are alike, less where
/// they are small, and never more than twice as much. (Taking the worst case, k_p = (K − 1)/2, cost up to 8 %
/// of the loss on the sets of gradient/DRAWS.md and gained nowhere beyond the noise.) The same draws make
/// both factors, which adds at most τ²E‖x̃‖²/K² to E‖g̃‖², τ² being the variance of one term. Separate halves
/// have 4τ²E‖x̃‖²/K² to begin with.
///
/// V is heavy-tailed: before most attributes were seen once its running mean is mostly too low, and the first
/// steps of a phase are too long. Along directions in which the attributes hardly vary such an error is
/// forgotten slowly, and with centred attributes the direction of the mean, in which x varies most, is one of
/// them. So with pairs or control variates the first `warm_up` examples of a phase, 2d/K, take t/warm_up of
/// their step. Measured there on simulated α = 0, K = 5, without UnitTrust: .94 in place of 1.02; elsewhere
/// within the noise of runs. UnitTrust's factors multiply ‖x̃‖² and ‖x‖² term by term.
///
/// Importances c. A gradient of c·½(⟨w, x⟩ − y)² is that of an example √c·x with the label √c·y. So V and N
/// are means of c‖x̃‖² and c‖x‖²/k_p, which makes the units of importance disappear: c times as many, and η is
/// divided by c. Importances that differ add noise of their own. Stability in the mean square and the growth
/// above ask for E[c²] where those means have (E c)², so V is multiplied by the quotient of the two. What
/// remains is one example that counts for more than all those before. Its step goes no further than to its
/// own label on average, c·η·E‖x̃‖² ≤ 1, as in importance-aware updates (Karampatziakis & Langford, 2011).
/// With importances of 1 none of this changes a bit.
///
/// Measured (loss over the zero predictor's or, with bias, the mean's, one pass): on MNIST 3/5, K = 57, a =
/// 0.3 / 0.5 / 1 give .38 / .33 / 2 or worse. On cal_housing in raw units, K = 5, they give .76 / .58 / .57,
/// and on simulated α = −1 .87 / .78 / .75. Thread-safety: none.
class AutoStep {
 public:
  static constexpr double kShare = 0.5;  // a
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  /// The step η to use for this example. 0 while nothing but zeros was seen. t stays at `most`: means forget
  /// and the step falls no further, for streams that change.
  double next(const StepFacts& facts, double most = kForever) {
    ++examples_;
    const double t = std::fmin(static_cast<double>(examples_), most);
    const double c = facts.bounded_importance();
    importance_ += (c - importance_) / t;
    importance_square_ += (c * c - importance_square_) / t;
    estimate_square_ += (c * facts.estimate_square - estimate_square_) / t;
    square_ += (c * facts.square - square_) / t;
    const double unevenness = importance_square_ / (importance_ * importance_);
    const double second = estimate_square_ * unevenness;
    if (!(second > 0)) return 0;
    const double noise = facts.inner_draws > 0 ? square_ / facts.inner_draws : 0;
    const double share = t < facts.warm_up ? kShare * (t / facts.warm_up) : kShare;
    const double step = share / (second * std::sqrt(1 + kShare * kShare * t * noise / second));
    const double to_its_label = importance_ / (facts.importance * estimate_square_);
    return std::fmin(step, to_its_label);
  }

  void begin_phase() { *this = AutoStep(); }

  void save(State& state) const {
    state.put_number("step.examples", examples_);
    const double means[] = {estimate_square_, square_};
    state.put_copy<double>("step.means", means);
    const double importances[] = {importance_, importance_square_};
    state.put_copy<double>("step.importances", importances);
  }
  Status restore(const State& state) {
    GLIMPSE_TRY_ASSIGN(const auto examples, state.get_number<std::uint64_t>("step.examples"));
    GLIMPSE_TRY_ASSIGN(const auto means, state.get<double>("step.means", 2));
    examples_ = examples;
    estimate_square_ = means[0];
    square_ = means[1];
    // Checkpoints of earlier builds took all importances for 1.
    importance_ = importance_square_ = examples_ > 0 ? 1 : 0;
    if (state.find("step.importances") == nullptr) return {};
    GLIMPSE_TRY_ASSIGN(const auto importances, state.get<double>("step.importances", 2));
    importance_ = importances[0];
    importance_square_ = importances[1];
    return {};
  }

 private:
  std::uint64_t examples_ = 0;  // t, of this phase
  double estimate_square_ = 0;  // V, of c‖x̃‖²
  double square_ = 0;           // N·k_p
  double importance_ = 0;       // mean of c
  double importance_square_ = 0;
};

/// The anytime step of exponentiated gradient, for `--step auto`: the theorem's η = √(ln 2n/(5m))/G (KS14,
/// Theorem 4.1) with t in place of m. G² = max_i E[g̃_i²] is estimated as (running mean of φ̃²)·(max_i M_i/(k
/// q_i) + 1), so that neither B nor the labels' unit is assumed. g̃ has the importance in it, and so has φ̃
/// here. The bound's 1/√5 is left out: it is cautious. Measured on MNIST 3/5, K = 5, one pass, mean of three
/// seeds: DDAELR .62 and AELR .72 at B = 2 and 4, where the best steps in hindsight reach .57 and .66.
/// Thread-safety: none.
class ExponentiatedStep {
 public:
  /// As AutoStep::next().
  double next(const StepFacts& facts, double most = AutoStep::kForever) {
    ++examples_;
    const double t = std::fmin(static_cast<double>(examples_), most);
    const double residual = facts.bounded_importance() * facts.residual;
    residual_square_ += (residual * residual - residual_square_) / t;
    const double largest = residual_square_ * facts.largest_second;
    if (!(largest > 0)) return 0;
    return std::sqrt(std::log(2 * static_cast<double>(facts.coordinates)) / (t * largest));
  }

  void begin_phase() { *this = ExponentiatedStep(); }

  void save(State& state) const {
    state.put_number("step.examples", examples_);
    const double means[] = {residual_square_};
    state.put_copy<double>("step.means", means);
  }
  Status restore(const State& state) {
    GLIMPSE_TRY_ASSIGN(const auto examples, state.get_number<std::uint64_t>("step.examples"));
    GLIMPSE_TRY_ASSIGN(const auto means, state.get<double>("step.means", 1));
    examples_ = examples;
    residual_square_ = means[0];
    return {};
  }

 private:
  std::uint64_t examples_ = 0;  // t, of this phase
  double residual_square_ = 0;  // mean of (c·φ̃)²
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

/// ε = d·ln(2d/δ)/(u m₁) (KS15, Algorithm 2), u the uniform draws of an example of phase 1: k + 1 in the
/// paper, where all are, and k here, where AERR takes the others for its inner product.
inline double confidence(double d, double uniform_draws, double delta, double m1) {
  return d * std::log(2 * d / delta) / (uniform_draws * m1);
}

/// The same for lasso, at most 1: under the theorem's assumption no moment is larger (KS14, Algorithm 4).
inline double lasso_confidence(double d, double uniform_draws, double delta, double m1) {
  return std::fmin(confidence(d, uniform_draws, delta, m1), 1);
}

/// Phase 2 of Two-Phased DDAERR: max(η₁, η₂), η₁ = √(k/(6dm₂)), η₂ = √(k/m₂ / (2H + 2√(5/3)·d·√H·√ε + k))
/// (KS15, Theorem 3.4).
inline double two_phase_step(double d, double k, double m2, double half_norm, double epsilon) {
  const double floor = std::sqrt(k / (6 * d * m2));
  const double denominator = 2 * half_norm + 2 * std::sqrt(5.0 / 3) * d * std::sqrt(half_norm * epsilon) + k;
  return std::fmax(floor, std::sqrt(k / m2 / denominator));
}

/// AELR: √(ln 2d/(5m))/G, G² = 8B²d/k (KS14, Theorem 4.1, against the η in the text).
inline double aelr_step(double radius, double d, double k, double m) {
  return std::sqrt(std::log(2 * d) / (5 * m)) / (radius * std::sqrt(8 * d / k));
}

/// DDAELR: (1/2B)·√(ln 2d/(5m(‖M‖₁/k + 1))) (KS15, Theorem 4.4).
inline double ddaelr_step(double radius, double d, double sum, double k, double m) {
  return std::sqrt(std::log(2 * d) / (5 * m * (sum / k + 1))) / (2 * radius);
}

/// Phase 2 of Two-Phased DDAELR: √(k·ln 2d/(20B²m₂(8‖A‖₁ + 20dε + k))) (KS15, Theorem 4.5).
inline double two_phase_lasso_step(double radius, double d, double k, double m2, double sum, double epsilon) {
  return std::sqrt(k * std::log(2 * d) / (20 * radius * radius * m2 * (8 * sum + 20 * d * epsilon + k)));
}

}  // namespace theory

}  // namespace glimpse
