#include "learn/gradient/gaelr.h"

namespace glimpse {

/// Online lasso: exponentiated gradient that sees every attribute (Kivinen & Warmuth 1997), ‖w‖₁ ≤ B; the
/// model is the average of the iterates. The full-information learner that the budgeted ones are compared
/// with: a step costs O(d). Theory's step is √(ln 2d/(5m))/G with G = 2B (KS14, Theorem 4.1, without draws).
Gaelr::Variant online_lasso_variant() {
  Gaelr::Variant variant{};
  variant.rule = PhaseControl::Rule::kUniform;
  variant.full_information = true;
  variant.theory_phase1 = [](const LearnerOptions& o, double) {
    const auto d = static_cast<double>(o.dimension);
    return std::sqrt(std::log(2 * d) / (5 * static_cast<double>(*o.horizon))) / (2 * *o.radius);
  };
  return variant;
}

/// Attribute Efficient Lasso Regression (KS15 §4, after Cesa-Bianchi et al. and Hazan & Koren): data-point
/// draws are uniform for the whole stream. Excess risk 4B²√(10d·ln 2d/(km)) with the theory's step (KS14,
/// Theorem 4.1).
Gaelr::Variant aelr_variant() {
  Gaelr::Variant variant{};
  variant.rule = PhaseControl::Rule::kUniform;
  variant.theory_phase1 = [](const LearnerOptions& o, double k) {
    return theory::aelr_step(*o.radius, static_cast<double>(o.dimension), k, static_cast<double>(*o.horizon));
  };
  return variant;
}

/// Data-Dependent Attribute Efficient Lasso Regression (KS15 §4): the second moments are known beforehand
/// (--moments FILE), and q_i ∝ M_i, which minimises the bound on max_i E[x̃_i²] (KS14, Lemma 4.3). Excess risk
/// falls from AELR's d to ‖M‖₁ (KS15, Theorem 4.4).
Gaelr::Variant ddaelr_variant() {
  Gaelr::Variant variant{};
  variant.rule = PhaseControl::Rule::kKnown;
  variant.theory_phase2 = [](const LearnerOptions& o, double k, const SecondMoments& moments, std::uint64_t) {
    const double sum = MomentWeights(moments, false, 0, MomentPower::kFirst).sum();
    return theory::ddaelr_step(*o.radius, static_cast<double>(o.dimension), sum, k,
                               static_cast<double>(*o.horizon));
  };
  return variant;
}

/// Two-Phased DDAELR (KS15 §4; KS14, Algorithm 4): the second moments are estimated from m₁ examples drawn
/// uniformly, while AELR learns; then DDAELR goes on from AELR's result with q_i ∝ A_i + 13/6·ε. The theory's
/// ε is at most 1, since no moment is larger under the theorem's assumption (KS15, Theorem 4.5); a number
/// given for it is in the square of the attributes' unit, and stays as it is.
///
/// PAPERS.md lists where it departs from the algorithm.
Gaelr::Variant two_phase_ddaelr_variant(const LearnerOptions& options) {
  Gaelr::Variant variant{};
  variant.rule = phase1_length(options) ? PhaseControl::Rule::kFixed : PhaseControl::Rule::kAuto;
  variant.theory_phase1 = [](const LearnerOptions& o, double k) {
    const auto m1 = static_cast<double>(phase1_length(o).value_or(*o.horizon));
    return theory::aelr_step(*radius_of_phase1(o), static_cast<double>(o.dimension), k, m1);
  };
  variant.theory_phase2 = [](const LearnerOptions& o, double k, const SecondMoments& moments,
                             std::uint64_t switched) {
    const auto d = static_cast<double>(o.dimension);
    const auto m1 = static_cast<double>(switched);
    const double m2 = *o.horizon > switched ? static_cast<double>(*o.horizon - switched) : 1;
    const double epsilon = o.confidence.value_or(theory::lasso_confidence(d, k, o.delta, m1));
    const double sum = MomentWeights(moments, false, epsilon, MomentPower::kFirst).sum();
    return theory::two_phase_lasso_step(*o.radius, d, k, m2, sum, epsilon);
  };
  return variant;
}

}  // namespace glimpse
