#pragma once

#include "daemon/config/option_table.h"

namespace glimpse {

/// Checkpoints.
std::vector<DaemonOption> durability_options();

}  // namespace glimpse
