#pragma once

#include "daemon/config/option_table.h"

namespace glimpse {

/// What the rows of tables (CSV) are.
std::vector<DaemonOption> table_options();

}  // namespace glimpse
