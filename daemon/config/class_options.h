#pragma once

#include <vector>

#include "daemon/config/option_table.h"

namespace glimpse {

/// Rows of the options for labels that are classes.
std::vector<DaemonOption> class_options();

}  // namespace glimpse
