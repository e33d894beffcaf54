#include "learn/draws/moment_weights.h"
#include "learn/gradient/gaerr.h"

namespace glimpse {

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

}  // namespace glimpse
