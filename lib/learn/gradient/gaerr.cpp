#include "learn/gradient/gaerr.h"

#include "learn/draws/moment_weights.h"

namespace glimpse {

/// Online ridge: online gradient descent that sees every attribute, g = (⟨w, x⟩ − y)x, projected on ‖w‖₂ ≤ B;
/// the model is the average of the iterates (Zinkevich 2003). The full-information learner that the budgeted
/// ones are compared with: a step costs O(d), and every attribute is counted as revealed. Theory's step is
/// 1/√m (2B/(G√m), G = 2B); the auto step has no inner-product noise and is constant: ½/E‖x‖².
Gaerr::Variant online_ridge_variant() {
  Gaerr::Variant variant{};
  variant.rule = PhaseControl::Rule::kUniform;
  variant.full_information = true;
  variant.theory_phase1 = [](const LearnerOptions& o, double) {
    return 1 / std::sqrt(static_cast<double>(*o.horizon));
  };
  return variant;
}

/// Attribute Efficient Ridge Regression (KS15 §3.1, after Cesa-Bianchi et al. and Hazan & Koren): data-point
/// draws are uniform, q_i = 1/d, for the whole stream. Excess risk 4B²√(2d/(km)) with the theory's step
/// (Theorem 3.1).
Gaerr::Variant aerr_variant() {
  Gaerr::Variant variant{};
  variant.rule = PhaseControl::Rule::kUniform;
  variant.theory_phase1 = [](const LearnerOptions& o, double k) {
    return theory::aerr_step(static_cast<double>(o.dimension), k, static_cast<double>(*o.horizon));
  };
  return variant;
}

/// Data-Dependent Attribute Efficient Ridge Regression (KS15 §3.2): the second moments are known beforehand
/// (--moments FILE), and q_i ∝ √M_i, which minimises the bound on the variance of x̃. Excess risk 4B²√((‖M‖½/k
/// + 1)/m) with the theory's step (Theorem 3.3).
Gaerr::Variant ddaerr_variant() {
  Gaerr::Variant variant{};
  variant.rule = PhaseControl::Rule::kKnown;
  variant.theory_phase2 = [](const LearnerOptions& o, double k, const SecondMoments& moments, std::uint64_t) {
    return theory::ddaerr_step(MomentWeights(moments, false, 0).half_norm(), k,
                               static_cast<double>(*o.horizon));
  };
  return variant;
}

/// Two-Phased DDAERR (KS15 §3.3, Algorithm 2): the second moments are estimated from m₁ examples drawn
/// uniformly, while AERR learns; then DDAERR goes on from AERR's result with q_i ∝ √(A_i + 13/6·ε). With
/// probability 1 − δ (erratum 5 in lib/learn/PAPERS.md) worse than AERR by no more than a constant, and as
/// good as DDAERR once K·m₁ is large (Theorem 3.4). PAPERS.md lists where it departs from the algorithm.
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
    const double epsilon = o.confidence.value_or(theory::confidence(d, k, o.delta, m1));
    const double half_norm = o.half_norm.value_or(MomentWeights(moments, false, epsilon).half_norm_bound());
    return theory::two_phase_step(d, k, m2, half_norm, epsilon);
  };
  return variant;
}

}  // namespace glimpse
