#pragma once

#include <string_view>

#include "base/result.h"
#include "lab/data/dense_set.h"

namespace glimpse {

/// How attributes are brought into the unit ball of the theorems. Factors come from the training set alone
/// and serve the test set as well.
enum class Scaling {
  kNone,
  kNorm,        ///< all by one factor: the largest ‖x‖₂ becomes 1 (ridge: ‖x‖₂ ≤ 1)
  kMaxAbs,      ///< each attribute by its own: its largest |x_i| becomes 1 (lasso: ‖x‖∞ ≤ 1)
  kMaxAbsNorm,  ///< kMaxAbs, then kNorm
};

/// "none", "norm", "maxabs", "maxabs-norm"; anything else is an Error (kInvalidOption).
Result<Scaling> parse_scaling(std::string_view name);
std::string_view name_of(Scaling scaling);

/// Scales both sets by factors computed from `train`. O(n·d).
void scale(Scaling scaling, DenseSet& train, DenseSet& test);

}  // namespace glimpse
