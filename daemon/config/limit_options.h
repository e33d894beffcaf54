#pragma once

#include "daemon/config/option_table.h"

namespace glimpse {

/// Bounds on memory, connections and time.
std::vector<DaemonOption> limit_options();

}  // namespace glimpse
