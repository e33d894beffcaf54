#pragma once

#include "learn/gradient/gradient_learner.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

/// General Attribute Efficient Ridge Regression (KS15, Algorithm 1).
using Gaerr = GradientLearner<LazyWeights>;

/// The algorithms for ridge. Each is documented in the source.
Gaerr::Variant aerr_variant();
Gaerr::Variant ddaerr_variant();
Gaerr::Variant two_phase_ddaerr_variant(const LearnerOptions& options);
Gaerr::Variant online_ridge_variant();

}  // namespace glimpse
