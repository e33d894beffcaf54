#pragma once

#include "daemon/config/option_table.h"

namespace glimpse {

/// What attributes cost, and what may be spent.
std::vector<DaemonOption> buying_options();

}  // namespace glimpse
