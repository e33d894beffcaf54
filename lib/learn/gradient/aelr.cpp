#include "learn/gradient/gaelr.h"

namespace glimpse {

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

}  // namespace glimpse
