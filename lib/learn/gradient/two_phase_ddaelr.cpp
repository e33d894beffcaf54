#include "learn/gradient/gaelr.h"

namespace glimpse {

/// Two-Phased DDAELR (KS15 §4; KS14, Algorithm 4): the second moments are estimated from m₁ examples drawn
/// uniformly, while AELR learns; then DDAELR goes on from AELR's result with q_i ∝ A_i + 13/6·ε. The theory's
/// ε is at most 1, since no moment is larger under the theorem's assumption (KS15, Theorem 4.5); a number
/// given for it is in the square of the attributes' unit, and stays as it is.
///
/// Deviations: as Two-Phased DDAERR's.
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
    const double epsilon =
        o.confidence.value_or(theory::lasso_confidence(d, static_cast<double>(o.budget), o.delta, m1));
    const double sum = MomentWeights(moments, false, epsilon, MomentPower::kFirst).sum();
    return theory::two_phase_lasso_step(*o.radius, d, k, m2, sum, epsilon);
  };
  return variant;
}

}  // namespace glimpse
