#pragma once

#include <functional>
#include <map>
#include <string>

#include "daemon/config/configuration.h"

namespace glimpse {

using GivenOptions = decltype(Configuration::given);

/// --algorithm auto becomes what the options given say: those of a learner that pairwise does not have ask
/// for two-phase-ddaerr, `moments` for ddaerr, `active` for pairwise-screened. Where none says anything it
/// stays, until the dimension is known. A default that is written down says nothing.
void resolve_algorithm(Configuration& configuration, const GivenOptions& given);

/// Whether the options given agree, and each is of use beside the others. The Error (kInvalidOption) tells
/// the first rule of the table that is broken, behind the place of its option in `places`, where it has one
/// ("glimpsed.conf: line 3: ").
Status check_rules(const Configuration& configuration, const GivenOptions& given,
                   const GivenOptions& places = {});

}  // namespace glimpse
