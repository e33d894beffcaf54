#pragma once

#include "learn/gradient/gradient_learner.h"
#include "learn/iterates/exponentiated_weights.h"

namespace glimpse {

/// General Attribute Efficient Lasso Regression (KS15 §4; KS14, Algorithm 3).
using Gaelr = GradientLearner<ExponentiatedWeights>;

/// The algorithms for lasso. Each is documented in the source.
Gaelr::Variant aelr_variant();
Gaelr::Variant ddaelr_variant();
Gaelr::Variant two_phase_ddaelr_variant(const LearnerOptions& options);
Gaelr::Variant online_lasso_variant();

}  // namespace glimpse
