#pragma once

#include "daemon/config/option_table.h"

namespace glimpse {

/// Where examples and questions come in, from whom, how they are read and answered.
std::vector<DaemonOption> door_options();

}  // namespace glimpse
