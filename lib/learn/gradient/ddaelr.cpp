#include "learn/gradient/gaelr.h"

namespace glimpse {

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

}  // namespace glimpse
