#include "learn/draws/moment_weights.h"
#include "learn/gradient/gaerr.h"

namespace glimpse {

/// Two-Phased DDAERR (KS15 §3.3, Algorithm 2): the second moments are estimated from m₁ examples drawn
/// uniformly, while AERR learns; then DDAERR goes on from AERR's result with q_i ∝ √(A_i + 13/6·ε). Never
/// worse than AERR by more than a constant, and as good as DDAERR once K·m₁ is large (Theorem 3.4).
///
/// Deviations: m₁ may be found on the fly (PhaseControl), moments go on improving in phase 2, and q follows
/// them when the example count has doubled.
Gaerr::Variant two_phase_ddaerr_variant(const LearnerOptions& options) {
  Gaerr::Variant variant{};
  variant.rule = phase1_length(options) ? PhaseControl::Rule::kFixed : PhaseControl::Rule::kAuto;
  variant.theory_phase1 = [](const LearnerOptions& o, double k) {
    const auto m1 = static_cast<double>(phase1_length(o).value_or(*o.horizon));
    return theory::aerr_step(static_cast<double>(o.dimension), k, m1);
  };
  variant.theory_phase2 = [](const LearnerOptions& o, double k, const SecondMoments& moments,
                             std::uint64_t switched) {
    const auto d = static_cast<double>(o.dimension);
    const auto m1 = static_cast<double>(switched);
    const double m2 = *o.horizon > switched ? static_cast<double>(*o.horizon - switched) : 1;
    const double epsilon =
        o.confidence.value_or(theory::confidence(d, static_cast<double>(o.budget), o.delta, m1));
    const double half_norm = o.half_norm.value_or(MomentWeights(moments, false, epsilon).half_norm_bound());
    return theory::two_phase_step(d, k, m2, half_norm, epsilon);
  };
  return variant;
}

}  // namespace glimpse
