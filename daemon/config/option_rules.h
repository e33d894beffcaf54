#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "daemon/config/configuration.h"

namespace glimpse {

/// Where --algorithm is auto: an option that pairwise does not have and two-phase-ddaerr does asks
/// for the latter, and --moments for ddaerr. `given` as below. Otherwise it stays auto until the dimension is
/// known.
void resolve_algorithm(Configuration& configuration,
                       const std::function<const std::string*(const char*)>& given);

/// Refuses options that were given (`given` says whether, by name without dashes) and would have no effect
/// beside the others. The Error (kInvalidOption) names option, value and constraint.
Status check_effects(const Configuration& configuration,
                     const std::function<const std::string*(const char*)>& given);

}  // namespace glimpse
