#pragma once

#include "base/result.h"
#include "daemon/config/configuration.h"

namespace glimpse {

/// Whether the files that the configuration names can be read, and say what they should (--check-config):
/// tokens, certificate and key; names, prices and moments as far as the number of attributes is known.
/// Errors: kInvalidOption.
Status check_files(const Configuration& configuration);

}  // namespace glimpse
