#pragma once

#include "daemon/config/option_table.h"

namespace glimpse {

/// The rest.
std::vector<DaemonOption> general_options();

}  // namespace glimpse
