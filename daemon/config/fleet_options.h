#pragma once

#include <vector>

#include "daemon/config/option_table.h"

namespace glimpse {

/// The rows of a fleet over Kafka.
std::vector<DaemonOption> fleet_options();

}  // namespace glimpse
