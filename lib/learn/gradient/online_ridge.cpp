#include "learn/gradient/gaerr.h"

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

}  // namespace glimpse
