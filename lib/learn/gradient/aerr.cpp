#include "learn/gradient/gaerr.h"

namespace glimpse {

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

}  // namespace glimpse
