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

}  // namespace glimpse
