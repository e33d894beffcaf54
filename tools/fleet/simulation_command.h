#pragma once

#include "common/tool.h"

namespace glimpse {

/// glimpse-fleet-simulation: fleets with everything that may go wrong, on a clock of their own.
ToolCommand simulation_command();

}  // namespace glimpse
